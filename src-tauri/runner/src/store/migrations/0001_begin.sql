CREATE TABLE repo (
    number            INTEGER PRIMARY KEY AUTOINCREMENT,
    id                TEXT NOT NULL UNIQUE,
    name              TEXT NOT NULL,
    path              BLOB NOT NULL UNIQUE,
    engine            TEXT NOT NULL,
    added             INTEGER NOT NULL,
    intent            TEXT NOT NULL DEFAULT 'open' CHECK (intent IN ('open', 'leaving', 'paused')),
    paused_since      INTEGER CHECK ((paused_since IS NOT NULL) = (intent = 'paused')),
    leaving_session   TEXT CHECK ((leaving_session IS NOT NULL) = (intent = 'leaving')),
    leaving_purpose   TEXT CHECK ((leaving_purpose IS NOT NULL) = (intent = 'leaving')),
    leaving_target    TEXT,
    leaving_interrupt INTEGER NOT NULL DEFAULT 0,
    continuity        TEXT CHECK (json_valid(continuity)),
    untold            INTEGER NOT NULL DEFAULT 0,
    interrupted       TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(interrupted)),
    fresh_next        INTEGER NOT NULL DEFAULT 0,
    pinned            INTEGER NOT NULL DEFAULT 0,
    freed             TEXT CHECK (json_valid(freed))
) STRICT;

CREATE TABLE conversation (
    repo           TEXT NOT NULL REFERENCES repo (id) ON DELETE CASCADE,
    engine         TEXT NOT NULL,
    id             TEXT NOT NULL,
    last_turn      INTEGER,
    turns          INTEGER NOT NULL,
    context_tokens INTEGER,
    transcript     TEXT,
    on_disk        INTEGER NOT NULL,
    -- Counts up with every change of the current one: the highest is the latest.
    current        INTEGER,
    PRIMARY KEY (repo, engine, id)
) STRICT;

CREATE UNIQUE INDEX conversation_current ON conversation (repo, engine) WHERE current IS NOT NULL;

CREATE TABLE session (
    number    INTEGER PRIMARY KEY AUTOINCREMENT,
    id        TEXT NOT NULL UNIQUE,
    repo      TEXT NOT NULL REFERENCES repo (id) ON DELETE CASCADE,
    plan      TEXT NOT NULL CHECK (json_valid(plan)),
    begun     INTEGER NOT NULL,
    confirmed INTEGER NOT NULL DEFAULT 0,
    committed INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE INDEX session_repo ON session (repo);

CREATE TABLE ask (
    number  INTEGER PRIMARY KEY AUTOINCREMENT,
    id      TEXT NOT NULL UNIQUE,
    repo    TEXT NOT NULL REFERENCES repo (id) ON DELETE CASCADE,
    text    TEXT NOT NULL,
    queued  INTEGER NOT NULL,
    fresh   INTEGER NOT NULL,
    at      INTEGER NOT NULL,
    stage   TEXT NOT NULL CHECK (stage IN ('waiting', 'submitted', 'taken', 'answered', 'failed')),
    session TEXT,
    prompt  TEXT,
    answer  TEXT,
    trouble TEXT CHECK (json_valid(trouble)),
    told    TEXT CHECK (json_valid(told)),
    -- Counts up with every ask that is over: the lowest was over first.
    over    INTEGER
) STRICT;

CREATE INDEX ask_repo ON ask (repo, over);

CREATE TABLE log (
    id   INTEGER PRIMARY KEY AUTOINCREMENT,
    repo TEXT NOT NULL REFERENCES repo (id) ON DELETE CASCADE,
    at   INTEGER NOT NULL,
    what TEXT NOT NULL CHECK (json_valid(what))
) STRICT;

CREATE INDEX log_repo ON log (repo, id);

CREATE TABLE value (
    key   TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT;
