import type { Response } from 'supertest';
import type { Workspace } from './factories.js';
import { Service } from './service.js';

export const AGENTS = '/api/v1/agents';

type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

/** A new account on the shared service, for requests about agents and their versions. */
export class AgentsEnvironment {
  private count = 0;

  private constructor(
    readonly api: Service,
    readonly own: Workspace,
  ) {}

  static async open(): Promise<AgentsEnvironment> {
    const api = Service.get();
    return new AgentsEnvironment(api, await api.account());
  }

  close(): Promise<void> {
    return this.api.close();
  }

  /** A name that no other agent has. */
  aName = (): string => `Agent ${(this.count += 1)}`;

  send = (method: Method, path: string, body?: object): Promise<Response> => {
    const request = this.api.as(this.own.token)[method](path);
    return Promise.resolve(body === undefined ? request : request.send(body));
  };

  /** @returns the id of a new agent. */
  created = async (body: object = {}): Promise<number> => {
    const answer = await this.send('post', AGENTS, { name: this.aName(), ...body });
    if (answer.status !== 201) throw new Error(`No agent was created: ${answer.text.slice(0, 200)}`);
    return answer.body.data.id as number;
  };

  read = async (id: number) => (await this.send('get', `${AGENTS}/${id}`)).body.data;

  versionsOf = async (id: number) =>
    (await this.send('get', `${AGENTS}/${id}/versions`)).body.data as {
      version: number;
      state: string;
      traffic_percent: number;
    }[];

  stateOf = async (id: number) =>
    (await this.versionsOf(id)).map(({ version, state, traffic_percent: percent }) => [version, state, percent]);
}
