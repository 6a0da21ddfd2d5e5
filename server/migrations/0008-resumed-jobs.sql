-- When a person last let the job go on (resumed it, or sent it to the rest): trouble that its account had before
-- is not held against what is due since then.
alter table jobs add column resumed_at timestamptz;
