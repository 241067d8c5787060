use std::time::Duration;

use repose_engine::feed::Feed;
use repose_sys::ProcessId;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::timeout;

use super::{Listening, News};

/// Only a broken one meets it.
const PATIENCE: Duration = Duration::from_secs(20);

const EVENTS: &str = "text/event-stream\r\ntransfer-encoding: chunked";

/// Answers one request after the other. The stream of events breaks after the first, once somebody has asked
/// how it stands.
async fn serve(listener: TcpListener, key: &str) {
    let mut events = None;
    loop {
        let (mut stream, _) = listener.accept().await.expect("a connection");
        let head = head(&mut stream).await;
        if !head.contains(&format!("authorization: {key}\r\n")) {
            stream
                .write_all(b"HTTP/1.1 401 Unauthorized\r\ncontent-length: 0\r\n\r\n")
                .await
                .expect("a listener");
        } else if head.starts_with("GET /event ") {
            let chunk = "data: {\"n\":1}\n\n";
            let answer =
                format!("HTTP/1.1 200 OK\r\ncontent-type: {EVENTS}\r\n\r\n{:x}\r\n{chunk}\r\n", chunk.len());
            stream.write_all(answer.as_bytes()).await.expect("a listener");
            events = Some(stream);
        } else {
            let answer = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}";
            stream.write_all(answer).await.expect("a listener");
            drop(events.take());
        }
    }
}

async fn head(stream: &mut TcpStream) -> String {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await.expect("a request"));
    }
    String::from_utf8(head).expect("a head")
}

#[tokio::test]
async fn it_is_listened_to_again_whenever_the_stream_breaks_and_first_asked_how_it_stands() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port of loopback");
    let server = tokio::spawn(serve(listener, "key"));
    let own = ProcessId::own().expect("this process");
    let feed = Feed { authorization: "key".into(), events: "/event", standing: &["/status"] };
    let mut listening = Listening::begin(own, feed);
    let mut told = Vec::new();
    while told.len() < 8 {
        let news = timeout(PATIENCE, listening.next()).await;
        told.push(match news.expect("in time").expect("it goes on") {
            News::Begins(_) => "begins".to_owned(),
            News::Broke => "broke".to_owned(),
            News::Said(from, body) => format!("{from} {}", String::from_utf8(body).expect("UTF-8")),
        });
    }
    let once = ["begins", "/status {}", "/event {\"n\":1}", "broke"];
    assert_eq!(told, [once, once].concat());
    server.abort();
}
