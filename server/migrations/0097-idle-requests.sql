-- Works with programs from 0032 on.
--
-- The last request of a session that is no use, such as one that a page sends by itself. Whoever steals a session and
-- sends only such requests would not be seen in the list of sessions otherwise.
alter table sessions add column idle_at timestamptz;
