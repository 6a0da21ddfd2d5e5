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
