-- The last conversation that was begun as a copy, and of which: engines write a copy only with the first ask in it.
ALTER TABLE repo ADD COLUMN copy TEXT;
ALTER TABLE repo ADD COLUMN copy_of TEXT CHECK ((copy_of IS NOT NULL) <= (copy IS NOT NULL));
