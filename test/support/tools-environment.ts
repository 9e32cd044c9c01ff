export interface MadeTool extends Record<string, unknown> {
  id: number;
  webhook_actions: ({ id: number; headers: object | null } & Record<string, unknown>)[];
}

let count = 0;

/** Valid bodies, each with another name. */
export const aTool = (more: object = {}) => ({
  name: `tool_${(count += 1)}`,
  description: 'Looks something up.',
  ...more,
});
export const anAction = (more: object = {}) => ({ name: 'ask', url: 'https://example.com/ask', ...more });
export const withAction = (more: object) => aTool({ webhook_actions: [anAction(more)] });

/** The first message of each field of a 422. */
export function errorsOf(answer: { status: number; body: { errors?: Record<string, string[]> } }) {
  if (answer.status !== 422) throw new Error(`It is ${answer.status}, not 422: ${JSON.stringify(answer.body)}`);
  return Object.fromEntries(Object.entries(answer.body.errors ?? {}).map(([key, [first]]) => [key, first]));
}
