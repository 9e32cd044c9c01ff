import { Egress } from '@app/egress';
import {
  type AgentTool,
  type InvocationContext,
  openToolRun,
  runTool,
  sealActionHeaders,
  type ToolRun,
} from '@app/tools';
import { SigningSecrets, type WebhookDispatcher } from '@app/webhooks';
import { WebhookHouse } from './webhook-house.js';

/** The names that the tests' resolver knows. */
const NAMES: Record<string, string> = {
  'inside.example.com': '10.11.12.13',
  'hooks.example.com': '127.0.0.1',
};

export type PlannedAction = Partial<Omit<AgentTool['actions'][number], 'headersSealed'>> & {
  url: string;
  headers?: Record<string, string>;
};

/** A house of webhooks whose accounts have tools. */
export class RunningTools {
  private lastId = 0;

  private constructor(
    readonly webhooks: WebhookHouse,
    private readonly opened: ReturnType<typeof openToolRun>,
  ) {}

  static async open(): Promise<RunningTools> {
    const webhooks = await WebhookHouse.open();
    const env = { EGRESS_ALLOW_CIDRS: ['127.0.0.0/8'], EGRESS_PROXY_URL: undefined, HTTPS_ONLY: false };
    const { pool, encryption, logs } = webhooks;
    const secrets = webhooks.services.get(SigningSecrets);
    const wakeWebhooks = (): void => house.dispatcher?.wake();
    const opened = openToolRun({ env, pool, encryption, secrets, log: logs.log, wakeWebhooks });
    const house = new RunningTools(webhooks, opened);
    return house;
  }

  /** Woken by what is queued. */
  dispatcher?: WebhookDispatcher;

  tool(actions: PlannedAction[], parameters: AgentTool['parameters'] = { type: 'object' }): AgentTool {
    const { encryption } = this.webhooks;
    const id = ++this.lastId;
    return {
      id,
      name: `tool_${id}`,
      description: 'Does it.',
      parameters,
      actions: actions.map(({ headers = {}, ...rest }, index) => ({
        id: id * 100 + index,
        name: `action_${index + 1}`,
        method: 'POST',
        payload: null,
        queryParams: null,
        waitResponse: true,
        timeoutMs: 1_000,
        headersSealed: sealActionHeaders(
          encryption,
          Object.entries(headers).map(([key, value]) => ({ key, value, secret: true })),
        ),
        ...rest,
      })),
    };
  }

  async run(
    tool: AgentTool,
    args: Record<string, unknown>,
    context: Partial<InvocationContext> & { accountId: number },
    signal = new AbortController().signal,
  ): Promise<ToolRun> {
    const agent = { id: 1, name: 'Receptionist' };
    const egress = new Egress({ allowCidrs: ['127.0.0.0/8'], httpsOnly: false, resolve });
    try {
      const whole = { agent, call: null, metadata: null, toolCallId: null, source: 'call' as const, ...context };
      return await runTool({ ...this.opened.parts, egress }, tool, args, whole, signal);
    } finally {
      await egress.close();
    }
  }

  async close(): Promise<void> {
    await this.opened.close();
    await this.webhooks.close();
  }
}

const resolve = (name: string): Promise<{ address: string; family: number }[]> => {
  const address = NAMES[name];
  return address
    ? Promise.resolve([{ address, family: 4 }])
    : Promise.reject(Object.assign(new Error(`getaddrinfo ENOTFOUND ${name}`), { code: 'ENOTFOUND' }));
};
