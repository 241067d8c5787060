-- The work that an order to end may cut off, if it may cut off no other.
ALTER TABLE repo ADD COLUMN leaving_named TEXT;
