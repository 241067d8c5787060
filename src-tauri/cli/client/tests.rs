use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::UnixListener;
use tokio::sync::Notify;

use super::Client;

/// How many looks must be answered before the answer that is waited for comes.
const LOOKS: usize = 3;

#[tokio::test]
async fn an_answer_that_takes_long_is_waited_for_while_the_runner_says_that_it_is_there() {
    let folder = tempfile::tempdir().expect("a temp folder");
    let socket = folder.path().join("sock");
    let listener = UnixListener::bind(&socket).expect("a socket");
    let looked = Arc::new(Notify::new());
    tokio::spawn(async move {
        let mut looks = 0;
        loop {
            let (mut stream, _) = listener.accept().await.expect("a connection");
            let mut head = [0; 1024];
            let length = stream.read(&mut head).await.expect("a request");
            let is_look = String::from_utf8_lossy(&head[..length]).starts_with("GET /api/status ");
            looks += usize::from(is_look);
            let looked = Arc::clone(&looked);
            if looks == LOOKS {
                looked.notify_one();
            }
            tokio::spawn(async move {
                if !is_look {
                    looked.notified().await;
                }
                let answer = "HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\ntrue";
                stream.write_all(answer.as_bytes()).await.expect("somebody reads");
            });
        }
    });
    let client = Client { socket, looks_after: Duration::from_millis(1) };
    assert_eq!(client.get("/api/asks/1").await.expect("an answer"), json!(true));
}
