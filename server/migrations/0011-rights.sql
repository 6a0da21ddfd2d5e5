-- Two more rights of a user. All users have had them so far, so they are on until an Admin takes them away.
alter table users
  add column can_link_accounts boolean not null default true,
  add column can_export_participants boolean not null default true;
