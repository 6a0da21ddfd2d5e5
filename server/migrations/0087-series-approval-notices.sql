-- Works with programs from 0032 on.
--
-- Whoever can approve a series is told that it waits.
alter table troubles drop constraint troubles_kind_check;
alter table troubles add constraint troubles_kind_check check (kind in ('account_down', 'account_expiring',
  'job_failed', 'job_stuck', 'approval_waiting', 'approval_given', 'changes_asked', 'approval_overdue',
  'approval_overridden', 'series_approval', 'series_paused', 'series_missed', 'backup_failed', 'disk_low'));
