import { Egress } from '@app/egress';
import {
  type AgentTool,
  type InvocationContext,
  encryptActionHeaders,
  encryptMcpHeaders,
  ToolInvocationsService,
  type ToolRun,
  ToolRunnerService,
  ToolsModule,
} from '@app/tools';
import type { WebhookDispatcherService } from '@app/webhooks';
import type { INestApplicationContext } from '@nestjs/common';
import { openServices } from './services.js';
import { WebhookEnvironment } from './webhook-environment.js';

/** The names that the resolver of the tests resolves. */
const NAMES: Record<string, string> = {
  'inside.example.com': '10.11.12.13',
  'hooks.example.com': '127.0.0.1',
};

export type PlannedAction = Partial<Omit<AgentTool['actions'][number], 'headersEncrypted'>> & {
  url: string;
  headers?: Record<string, string>;
};

/** The environment of webhook tests, with accounts that have tools. */
export class RunningTools {
  private lastId = 0;

  private constructor(
    readonly webhooks: WebhookEnvironment,
    private readonly services: INestApplicationContext,
  ) {}

  static async open(): Promise<RunningTools> {
    const webhooks = await WebhookEnvironment.open();
    const services = await openServices({ DATABASE_URL: webhooks.databaseUrl }, [ToolsModule], {
      log: webhooks.logs.log,
      egress: new Egress({ allowCidrs: ['127.0.0.0/8'], httpsOnly: false, resolve }),
      wake: () => environment.dispatcher?.wake(),
    });
    const environment = new RunningTools(webhooks, services);
    return environment;
  }

  /** Woken by new deliveries. */
  dispatcher?: WebhookDispatcherService;

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
        headersEncrypted: encryptActionHeaders(
          encryption,
          Object.entries(headers).map(([key, value]) => ({ key, value, secret: true })),
        ),
        ...rest,
      })),
    };
  }

  /** A pinned tool of an MCP server. */
  mcpTool(
    mcp: Partial<NonNullable<AgentTool['mcp']>> & { url: string; headers?: Record<string, string> },
    parameters?: AgentTool['parameters'],
  ): AgentTool {
    const { headers = {}, ...rest } = mcp;
    const list = Object.entries(headers).map(([key, value]) => ({ key, value, secret: true }));
    const tool = this.tool([], parameters);
    const headersEncrypted = encryptMcpHeaders(this.webhooks.encryption, list);
    return { ...tool, mcp: { serverId: tool.id, name: 'findOrder', timeoutMs: 1_000, headersEncrypted, ...rest } };
  }

  endConversation(id: string): void {
    this.services.get(ToolRunnerService).endConversation(id);
  }

  async run(
    tool: AgentTool,
    args: Record<string, unknown>,
    context: Partial<InvocationContext> & { accountId: number },
    signal = new AbortController().signal,
  ): Promise<ToolRun> {
    const agent = { id: 1, name: 'Receptionist' };
    const whole = { agent, call: null, metadata: null, toolCallId: null, source: 'call' as const, ...context };
    return await this.services.get(ToolRunnerService).run(tool, args, whole, signal);
  }

  get invocations(): ToolInvocationsService {
    return this.services.get(ToolInvocationsService);
  }

  async close(): Promise<void> {
    await this.services.close();
    await this.webhooks.close();
  }
}

const resolve = (name: string): Promise<{ address: string; family: number }[]> => {
  const address = NAMES[name];
  return address
    ? Promise.resolve([{ address, family: 4 }])
    : Promise.reject(Object.assign(new Error(`getaddrinfo ENOTFOUND ${name}`), { code: 'ENOTFOUND' }));
};
