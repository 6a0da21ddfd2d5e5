-- Works with programs from 0014 on.
--
-- When the first of the attempts began to fail that the provider has neither taken nor refused since. `busy` says why, and
-- both stay until the provider takes or refuses a message: between two attempts of an outage nothing else shows it.
alter table instances add busy_since timestamptz;

-- How often the trouble came back. Each time it must be gone for longer before it counts as over.
alter table troubles add relapses int not null default 0;

-- Finds how often a trouble that begins has come back within the last day.
create index troubles_ended on troubles (kind, instance_id, job_id, host, ended_at) where ended_at is not null;
