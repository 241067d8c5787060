//! Starting a holder.

use std::fs::OpenOptions;
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use repose_core::continuity::Plan;
use repose_core::conversation::OnDisk;
use repose_core::ids::{ConversationId, SessionId};
use repose_core::session::Params;
use repose_core::trouble::{Code, Trouble};
use repose_engine::Env;
use repose_engine::launch::{Open, Order};
use repose_hold::Spec;
use repose_sys::private::PrivateError;

use crate::check::{Facts, kept_at, needs, read, sentence};
use crate::settings::EngineSettings;
use crate::shared::Shared;

/// The size of the screen, in columns and rows, before a terminal is attached: large enough for engines to
/// draw well, small enough for most terminals.
const SCREEN: (u16, u16) = (120, 40);

/// What to open.
#[derive(Debug, Clone)]
pub(crate) struct Opening {
    pub(crate) session: SessionId,
    pub(crate) plan: Plan,
    pub(crate) new_conversation: ConversationId,
    pub(crate) params: Params,
}

/// Writes the session's folder and starts its holder. Blocks for some milliseconds.
pub(crate) fn spawn(
    facts: &Facts,
    shared: &Shared,
    env: &Env,
    settings: &EngineSettings,
    opening: &Opening,
) -> Result<Child, Trouble> {
    let engine = needs(facts, shared, env, settings)?;
    let program =
        shared.programs.current().map_err(|error| failed("copying Repose's own program", &error))?;
    let transcript = transcript(facts, shared, env, &opening.plan)?;
    let open = match &opening.plan {
        Plan::Resume { conversation, .. } => Open::Resume { id: conversation },
        Plan::Fork { conversation, .. } => Open::Fork {
            from: conversation,
            transcript: transcript.as_deref(),
            id: Some(&opening.new_conversation),
        },
        Plan::Fresh(_) => Open::Fresh { id: Some(&opening.new_conversation) },
    };
    let conversation = match &opening.plan {
        Plan::Resume { conversation, .. } => Some(conversation.clone()),
        Plan::Fork { .. } | Plan::Fresh(_) => {
            facts.engine.keeps_conversations().then(|| opening.new_conversation.clone())
        }
    };
    let dir = shared.session_dir(&opening.session);
    let order = Order {
        program: &engine.exec,
        open,
        env,
        folder: &facts.path,
        session_dir: &dir,
        extra_args: &settings.args,
        hook: &program.path,
    };
    let launch = facts.engine.plan(&order);
    let kept = env.iter().filter(|(name, _)| !launch.env_remove.iter().any(|removed| removed == name));
    let env = kept.map(|(name, value)| (name.to_owned(), value.to_owned())).chain(launch.env_set).collect();
    let own = facts.engine.own().map_or(Ok(serde_json::Value::Null), serde_json::to_value);
    let spec = Spec {
        session: opening.session.clone(),
        repo: facts.id.clone(),
        name: facts.name.clone(),
        engine: facts.engine_name(),
        own: own.map_err(|error| failed("describing the engine", &io::Error::other(error)))?,
        program: launch.program.into(),
        args: launch.args,
        env,
        cwd: facts.path.clone().into(),
        cols: SCREEN.0,
        rows: SCREEN.1,
        params: opening.params,
        conversation,
        resumes: matches!(opening.plan, Plan::Resume { .. }),
        forks: matches!(opening.plan, Plan::Fork { .. }),
        plan: serde_json::Value::Null,
        build: program.build,
    };
    begin(&spec, &program.path, &dir).inspect_err(|_| crate::adopt::remove(&dir))
}

/// The path of the transcript that is to be copied.
fn transcript(facts: &Facts, shared: &Shared, env: &Env, plan: &Plan) -> Result<Option<PathBuf>, Trouble> {
    let Plan::Fork { conversation, .. } = plan else { return Ok(None) };
    let from = read(facts, shared, env, conversation)?.filter(|from| from.on_disk == OnDisk::There);
    Ok(from.and_then(|from| kept_at(facts, env, conversation, Some(&from))))
}

fn begin(spec: &Spec, program: &Path, dir: &Path) -> Result<Child, Trouble> {
    spec.write(dir).map_err(|error| match error {
        PrivateError::Io { doing, path, source } => failed(&format!("{doing} {}", path.display()), &source),
        PrivateError::NotOurs { .. } => {
            let hints = ["Check the state folder: `repose doctor`."];
            Trouble::new(Code::StoreFailed, sentence(&error.to_string()), hints)
        }
    })?;
    let said = |words: &'static str| move |error| failed(words, &error);
    let log = OpenOptions::new().append(true).create(true).mode(0o600).open(dir.join("log"));
    let log = log.map_err(said("opening the session's log"))?;
    let again = log.try_clone().map_err(said("opening the session's log"))?;
    let mut command = Command::new(program);
    command.arg("hold").arg(dir).env_clear().current_dir("/");
    // The user's home, for people who look at processes; everything else that it needs is in its folder.
    command.envs(spec.env.iter().filter(|(name, _)| name == "HOME").cloned());
    // The next runner finds it by this mark, if this runner ends before it listens.
    command.env(repose_sys::tree::MARK, spec.session.as_str());
    command.stdin(Stdio::null()).stdout(log).stderr(again);
    repose_sys::detached::spawn(&mut command).map_err(said("starting the holder"))
}

/// The trouble of a failed start. `doing` says what failed, such as "copying Repose's own program".
fn failed(doing: &str, error: &io::Error) -> Trouble {
    let code = if error.kind() == io::ErrorKind::StorageFull { Code::DiskFull } else { Code::StoreFailed };
    let words = sentence(&format!("{doing} did not work: {error}"));
    Trouble::new(code, format!("{words} Nothing was started."), ["Check the state folder: `repose doctor`."])
}
