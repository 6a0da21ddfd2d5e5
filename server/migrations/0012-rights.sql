-- Two more rights of a user. All users have had them so far, so they are on until an Admin takes them away.
alter table users
  add column can_link_accounts boolean not null default true,
  add column can_export_participants boolean not null default true;

-- Counts the edits of a record by people, so that two Admins who edit it at once do not overwrite each other unnoticed.
-- xmin would not do: the engine writes the rows of instances all the time.
alter table users add column version int not null default 1;
alter table instances add column version int not null default 1;
alter table messages add column version int not null default 1;
