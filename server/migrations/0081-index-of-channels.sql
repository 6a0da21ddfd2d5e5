-- Works with programs from 0032 on.

-- For the list of an account's channels, which would otherwise be looked for among all groups.
create index concurrently if not exists groups_channels on groups (name, id) where chat_id like '%@newsletter';
