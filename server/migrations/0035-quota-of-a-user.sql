-- Works with programs from 0032 on.
--
-- A user's jobs leave room for the largest job of somebody else, of 100,000 recipients, in every account. With the former
-- default one user could fill two accounts.
alter table quotas alter recipients_per_user set default 400000;
update quotas set recipients_per_user = 400000 where recipients_per_user = 1000000;
