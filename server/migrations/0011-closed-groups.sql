-- Whether our account may write into the group, as far as the newest sync could tell: null is not known.
alter table groups add column can_send boolean;
