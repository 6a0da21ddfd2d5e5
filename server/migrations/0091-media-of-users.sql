-- Works with programs from 0032 on.
--
-- Finds the images and files that count for a user because of their jobs: docs/decisions/0040-files.md.
create index concurrently if not exists jobs_media_of_user on jobs (created_by_user_id, image_id, file_id)
  where image_id is not null or file_id is not null;
