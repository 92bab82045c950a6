-- The policy of the store, see Store.SetPolicy, and the time before which runs began that are beyond it.
ALTER TABLE upkeep ADD COLUMN policy text NOT NULL DEFAULT '', ADD COLUMN old bigint NOT NULL DEFAULT 0;
