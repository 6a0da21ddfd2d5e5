-- Whether a search walks its list or asks the trigram index hangs on how many rows it is thought to find. With the usual
-- 100 samples, what stands in one row of a hundred is often in none of them, and is taken for one row in ten thousand.

alter table groups alter found_by set statistics 400;
alter table messages alter found_by set statistics 400;
alter table jobs alter found_by set statistics 400;

analyze groups (found_by), messages (found_by), jobs (found_by);
