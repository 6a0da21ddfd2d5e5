-- By what its creator asked for the job: when the answer is lost and they ask again, they get the job they have.
alter table jobs add column request_id uuid;

-- Neither column ever changes while the engine works on a job: its updates stay within their page.
create unique index jobs_request on jobs (created_by_user_id, request_id) where request_id is not null;
