-- What was ordered for all repos at once is no single repo's: its row has none.
CREATE TABLE log_of_all (
    id   INTEGER PRIMARY KEY AUTOINCREMENT,
    repo TEXT REFERENCES repo (id) ON DELETE CASCADE,
    at   INTEGER NOT NULL,
    what TEXT NOT NULL CHECK (json_valid(what))
) STRICT;
INSERT INTO log_of_all (id, repo, at, what) SELECT id, repo, at, what FROM log ORDER BY id;
DROP TABLE log;
ALTER TABLE log_of_all RENAME TO log;
CREATE INDEX log_repo ON log (repo, id);
CREATE INDEX log_opens ON log (repo, json_extract(what, '$.conversation')) WHERE json_extract(what, '$.what') = 'opened';
