-- What a repo's folder is known by wherever it is moved to.
ALTER TABLE repo ADD COLUMN mark TEXT;
