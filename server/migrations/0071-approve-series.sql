-- Works with programs from 0032 on.
--
-- A series is approved once, for its content, rule and sources. docs/decisions/0039-approval.md.

alter table series
  -- The content that was approved, as `series_content_hash` gives it.
  add approved_hash bytea,
  -- The runs' jobs may have a fifth more recipients than this.
  add approved_recipients int check (approved_recipients > 0),
  add approved_by_name text,
  add approved_at timestamptz;

create function series_content_hash(of_series bigint) returns bytea language sql stable as $$
  select sha256(convert_to(jsonb_build_array(
    s.instance_id, s.job_type, s.rule, s.quiet_days, s.quiet_policy, s.overlap, s.recipients, s.frozen, s.author_id,
    (
      select jsonb_agg(jsonb_build_array(m.text_content, m.has_variables, i.name) order by sm.position)
      from series_messages sm join messages m on m.id = sm.message_id left join images i on i.id = m.image_id
      where sm.series_id = s.id
    ),
    (
      select jsonb_agg(jsonb_build_array(l.list_id, l.is_excluded) order by l.list_id, l.is_excluded)
      from series_lists l where l.series_id = s.id
    ),
    (select jsonb_agg(g.group_set_id order by g.group_set_id) from series_group_sets g where g.series_id = s.id)
  )::text, 'UTF8'))
  from series s where s.id = of_series
$$;

-- An approver reads the messages of a series in one version of it. So another text or image of a message is another
-- version of each series that sends it. The change also waits for a run that is being made, which holds the series.
create function change_series_of_message() returns trigger language plpgsql as $$
begin
  update series s set version = version + 1
  where s.state <> 'ended' and s.id in (select m.series_id from series_messages m where m.message_id = new.id);
  return null;
end $$;
create trigger messages_change_series after update of text_content, image_id on messages
  for each row when (
    (old.text_content, old.image_id, old.has_variables)
      is distinct from (new.text_content, new.image_id, new.has_variables))
  execute function change_series_of_message();
