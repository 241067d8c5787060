-- Every page of a conversation asks for its opens: the log holds thousands of rows beside them.
CREATE INDEX log_opens ON log (repo, json_extract(what, '$.conversation')) WHERE json_extract(what, '$.what') = 'opened';
