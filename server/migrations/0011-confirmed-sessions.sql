-- When the user last entered the password in this session. A sign-in is the first time.
alter table sessions add column confirmed_at timestamptz not null default clock_now();
