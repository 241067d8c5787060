-- Whether `turns` is how many there are. Otherwise there are some, and nothing shows how many.
ALTER TABLE conversation ADD COLUMN counted INTEGER NOT NULL DEFAULT 1;
