import { agentTool, knowledgeTool, type OnToolRun, type SearchKnowledge } from '@app/agents';
import { CallCommandsService, DoNotCallService, MAX_REASON_LENGTH, type OwnedCall } from '@app/calls';
import type { Log, SecureValues } from '@app/common';
import { KnowledgeSearchService } from '@app/knowledge';
import { LOG } from '@app/common/settings';
import { type ConversationVariables, type InvocationContext, ToolRunnerService } from '@app/tools';
import { COLLECT_DIGITS, DO_NOT_CALL_TOOL, ToolFailed, type VoiceTool } from '@app/voice';
import { Inject, Injectable } from '@nestjs/common';
import type { CallContext } from '../call/call-context.service.js';
import { CallVariables } from './call-variables.js';
import type { ConversationRecord } from './conversation-record.js';
import { RECORDING_TOOLS } from '../media/recording-control.js';

/** `ofStep`: the knowledge bases of the current step of a flow; absent: all of the call. */
export interface SearchedKnowledge {
  ofStep?: number[] | undefined;
}

/** What the tools of a call share. `secure`: the secret digits that the user has entered so far. */
interface ToolState {
  secure: SecureValues;
  variables: ConversationVariables;
  searched: SearchedKnowledge;
}

/** The tools of an agent that need the database: search in its knowledge bases, the do-not-call list, and the tools of its account. */
@Injectable()
export class CallToolsService {
  constructor(
    private readonly knowledge: KnowledgeSearchService,
    private readonly runner: ToolRunnerService,
    private readonly doNotCall: DoNotCallService,
    private readonly commands: CallCommandsService,
    @Inject(LOG) private readonly log: Log,
  ) {}

  /** The variables of a call, which its tools may set. */
  variablesOf(call: OwnedCall, { variables }: CallContext, record: ConversationRecord): CallVariables {
    return new CallVariables(this.commands, record, call, variables, this.log);
  }

  of(
    context: CallContext,
    record: Pick<ConversationRecord, 'addRun' | 'isRedacted' | 'redactValue'>,
    { secure, variables, searched }: ToolState,
  ): VoiceTool[] {
    const onRun: OnToolRun = (toolCallId, run) => record.addRun(toolCallId, run);
    const builtIn = builtInNames(context);
    const tools = context.tools.filter(({ name }) => !builtIn.includes(name));
    this.runner.prepare(tools).catch((err: unknown) => this.log.error({ err }, 'the MCP client could not be loaded'));
    const runtime = { runner: this.runner, log: this.log };
    const redact = record.isRedacted ? (value: unknown) => record.redactValue(value) : undefined;
    const conversation = { ...invocationOf(context), redact, secure, variables };
    const ofAccount = tools.map((tool) => agentTool(runtime, tool, conversation, onRun));
    return [...this.knowledgeTools(context, searched), ...this.doNotCallTools(context), ...ofAccount];
  }

  /** The call is over: nothing of it stays open at MCP servers. */
  end(callId: string): void {
    this.runner.endConversation(callId);
  }

  /** The entry is committed before the model gets the result: it survives the dialer, and holds from then on. */
  private doNotCallTools(context: CallContext): VoiceTool[] {
    if (!context.do_not_call_tool) return [];
    const run = async ({ reason }: Record<string, unknown>): Promise<object> => {
      const added = await this.doNotCall.addFromCall({
        accountId: context.account_id,
        callId: context.id,
        destination: remoteNumber(context),
        reason: typeof reason === 'string' ? reason.slice(0, MAX_REASON_LENGTH) : null,
      });
      if (!added) throw new ToolFailed('no_number', 'The number of the other party is unknown.');
      return { added: true };
    };
    return [{ ...DO_NOT_CALL_TOOL, run }];
  }

  private knowledgeTools(context: CallContext, searched: SearchedKnowledge): VoiceTool[] {
    if (!context.knowledge) return [];
    const { account_id: accountId, agent_id: agentId, knowledge_base_ids: ofCall } = context;
    const search: SearchKnowledge = async (queries, options) => {
      try {
        const knowledgeBaseIds = searched.ofStep ?? ofCall;
        return await this.knowledge.search({ accountId, agentId, knowledgeBaseIds }, queries, options);
      } catch (err) {
        if (!options.signal.aborted) this.log.error({ err, call_id: context.id }, 'a search of an agent failed');
        throw err;
      }
    };
    return [knowledgeTool(search, context.knowledge)];
  }
}

/** Earlier releases did not reserve these names. */
function builtInNames({
  do_not_call_tool: lists,
  pause_recording_tool: pauses,
  digit_inputs: inputs,
}: CallContext): string[] {
  return [
    ...(lists ? [DO_NOT_CALL_TOOL.name] : []),
    ...(pauses ? RECORDING_TOOLS : []),
    ...(inputs.length > 0 ? [COLLECT_DIGITS] : []),
  ];
}

/** The party that the agent talks to. */
const remoteNumber = ({ direction, to_number: to, from_number: from }: CallContext): string =>
  direction === 'inbound' ? from : to;

const invocationOf = (context: CallContext): Omit<InvocationContext, 'toolCallId'> => ({
  accountId: context.account_id,
  agent: { id: context.agent_id, name: context.agent_name },
  call: {
    id: context.id,
    direction: context.direction,
    to_number: context.to_number,
    from_number: context.from_number,
  },
  metadata: context.metadata,
  source: 'call',
  conversationId: context.id,
});
