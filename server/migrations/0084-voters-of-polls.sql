-- Works with programs from 0032 on.
--
-- How many people have voted in a poll, and which accounts were asked for votes a moment ago.

-- Null if the provider does not tell who voted, and for results from before.
alter table poll_results add people int check (people >= 0);
create index poll_results_asked on poll_results (instance_id, asked_at) where asked_at is not null;
