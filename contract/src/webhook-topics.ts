/**
 * The topics of events that receivers of webhooks choose from. The type of an event begins with its topic:
 * `job.completed`. This file does not import zod, so that the page does not load the schemas.
 */
export const webhookTopics = ['job', 'delivery', 'trouble', 'security'] as const
