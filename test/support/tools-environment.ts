import { TestApi } from './app.js';
import { anAgent, aWorkspace, type Workspace } from './factories.js';

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

/** An api process, or the api in this process. */
type Api = Pick<TestApi, 'as' | 'pool' | 'stop'>;

/** The API with an agent and its tools. */
export class ToolsEnvironment<Used extends Api = TestApi> {
  readonly path: string;

  private constructor(
    readonly api: Used,
    readonly own: Workspace,
  ) {
    this.path = `/api/v1/agents/${own.agentId}/tools`;
  }

  static async open(): Promise<ToolsEnvironment> {
    return ToolsEnvironment.over(await TestApi.start());
  }

  static async over<Used extends Api>(api: Used): Promise<ToolsEnvironment<Used>> {
    return new ToolsEnvironment(api, await aWorkspace(api.pool));
  }

  close(): Promise<void> {
    return this.api.stop();
  }

  post(body: object, where = this.path) {
    return this.api.as(this.own.token).post(where).send(body);
  }

  get(where: string) {
    return this.api.as(this.own.token).get(where);
  }

  put(id: number, body: object) {
    return this.api.as(this.own.token).put(`${this.path}/${id}`).send(body);
  }

  async made(body: object, where = this.path): Promise<MadeTool> {
    const answer = await this.post(body, where);
    if (answer.status !== 201) throw new Error(`POST ${where}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body.data as MadeTool;
  }

  /** The path of another agent's tools. */
  async another(): Promise<string> {
    return `/api/v1/agents/${await anAgent(this.api.pool, this.own.accountId)}/tools`;
  }
}
