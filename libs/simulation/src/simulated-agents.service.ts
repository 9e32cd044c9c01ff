import {
  type AgentSettings,
  AgentFlowsService,
  AgentsService,
  agentTool,
  toolRunData,
  renderAgent,
  requireValues,
  knowledgeTool,
  type SearchKnowledge,
  conversationSettings,
  digitSettings,
  disclosureFor,
  guardrailSettings,
  PolicyJudgeService,
  providerChain,
  systemPrompt,
} from '@app/agents';
import { type AgentOfAccount, type Log, newId, NotFound } from '@app/common';
import { type AgentKnowledge, KnowledgeSearchService, type SearchedAgent } from '@app/knowledge';
import type { Scenario } from '@app/agents/scenarios';
import type { SimulatedAgent } from './scenario/simulated-agent.js';
import type { SpeakingAgent } from './tester/audio-line.js';
import { ConversationSecrets, mergeRedaction } from '@app/privacy';
import { LOG } from '@app/common/settings';
import { argumentProblems } from '@app/json-schema';
import { ToolRunnerService, ToolsService } from '@app/tools';
import {
  DO_NOT_CALL_TOOL,
  loadFlowSession,
  type AgentFlow,
  PAUSE_RECORDING_TOOL,
  type ProviderChoice,
  RESUME_RECORDING_TOOL,
  type SessionEvent,
  ToolFailed,
  type VoiceTool,
} from '@app/voice';
import { Inject, Injectable } from '@nestjs/common';
import { type SimulatedProviders, TextModeProvidersService } from './text-mode-providers.service.js';

/** The agent's provider only speaks. The message is a sentence for the person who asked. */
export class NoTextMode extends Error {}

/** Providers of full-duplex speech, without a text mode. */
const SPEECH_ONLY: ReadonlySet<string> = new Set(['openai-live']);

type AgentScenario = Pick<Scenario, 'metadata' | 'variables' | 'knowledge_base_ids'>;

/** Loads agents for conversations without a call. */
@Injectable()
export class SimulatedAgentsService {
  constructor(
    private readonly agents: AgentsService,
    private readonly flows: AgentFlowsService,
    private readonly knowledge: KnowledgeSearchService,
    private readonly tools: ToolsService,
    private readonly runner: ToolRunnerService,
    private readonly providers: TextModeProvidersService,
    private readonly policies: PolicyJudgeService,
    @Inject(LOG) private readonly log: Log,
  ) {}

  /**
   * The agent with the settings, tools and knowledge bases that a call would have now, for a conversation in text. `settings`: columns of the
   * agent that replace the current ones.
   * @throws NotFound, InvalidFields (`knowledge_base_ids`, `variables`, `metadata`), NoTextMode, ProviderUnavailable
   */
  async load(
    agent: AgentOfAccount,
    scenario: AgentScenario,
    settings?: Record<string, unknown>,
  ): Promise<SimulatedAgent> {
    const { found, running, ...loaded } = await this.settings(agent, scenario, settings);
    const providers = await this.providers.open(textProviders(found));
    const load = (other: AgentOfAccount): Promise<SimulatedAgent> =>
      this.load(other, { ...scenario, knowledge_base_ids: null });
    return { ...loaded, ...providers, ...(await this.flowOf(agent, running, providers, load)) };
  }

  /** The same for a conversation in speech, with all legs of a pipeline. @throws as `load`, without NoTextMode */
  async loadSpeaking(
    agent: AgentOfAccount,
    scenario: AgentScenario,
    settings?: Record<string, unknown>,
  ): Promise<SpeakingAgent> {
    const { found, running, ...loaded } = await this.settings(agent, scenario, settings);
    const providers = await this.providers.openSpeaking(providerChain(found.provider, found.provider_options));
    const load = (other: AgentOfAccount): Promise<SimulatedAgent> =>
      this.loadSpeaking(other, { ...scenario, knowledge_base_ids: null });
    return { ...loaded, ...providers, ...(await this.flowOf(agent, running, providers, load)) };
  }

  /** Of an agent without steps as well, because another one may hand over to it. */
  private async flowOf(
    { accountId, agentId }: AgentOfAccount,
    running: AgentFlow | undefined,
    { usable: choices, parts }: SimulatedProviders,
    loadOther: (other: AgentOfAccount) => Promise<SimulatedAgent>,
  ): Promise<Pick<SimulatedAgent, 'flow'>> {
    const flow = running ?? { agentId, handoffs: [], variables: {}, ownTools: [] };
    const load = async (id: number): Promise<SimulatedAgent> => {
      const other = await this.agents.liveSettings(accountId, id);
      if (!other) throw new ToolFailed('agent_not_available', 'The other agent does not exist or is not active.');
      return loadOther({ accountId, agentId: id });
    };
    return { flow: { flow, Session: await loadFlowSession(), choices, parts, load } };
  }

  private async settings(
    agent: AgentOfAccount,
    scenario: AgentScenario,
    settings: Record<string, unknown> | undefined,
  ): Promise<
    Omit<SimulatedAgent, 'provider' | 'fallbacks' | 'flow'> & { found: AgentSettings; running: AgentFlow | undefined }
  > {
    const { metadata, knowledge_base_ids: knowledgeBaseIds } = scenario;
    const current = await this.agents.settings(agent.accountId, agent.agentId);
    if (!current) throw new NotFound('Agent');
    const found = settings ? withSettings(current, settings) : current;
    const searched = { ...agent, knowledgeBaseIds };
    await this.knowledge.requireKnowledge(searched);
    requireValues(found.variables, scenario);
    const [knowledge, ownTools] = await Promise.all([this.knowledge.knowledgeOf(searched), this.tools.ofAgent(agent)]);
    const who = { accountId: agent.accountId, agent: { id: agent.agentId, name: found.name }, conversationId: newId() };
    const secrets = secretsOf(found);
    const redact = secrets && ((value: unknown) => secrets.redactValue(value).value);
    const { texts, tools } = renderAgent(found, ownTools, { ...scenario, call: null, now: new Date() });
    const running = await this.flows.running(
      {
        ...agent,
        flow: found.flow,
        handoffs: found.handoffs,
        ownTools: tools.map(({ name }) => name),
      },
      {
        ...scenario,
        declared: found.variables,
        agentName: found.name,
        call: null,
        now: new Date(),
        timezone: found.timezone,
        language: found.conversation?.language,
      },
    );
    const steps = found.flow?.steps ?? [];
    let ofStep: number[] | undefined;
    const entered = (event: SessionEvent): void => {
      if (event.type === 'step_entered') ofStep = steps.find(({ name }) => name === event.step)?.knowledge_base_ids;
    };
    const included = steps.some((step) => step.knowledge_base_ids) ? undefined : knowledge;
    return {
      found,
      running,
      settings: {
        agent: {
          name: found.name,
          instructions: systemPrompt(texts.instructions, included, texts.values),
          greeting: texts.greeting,
          language: found.conversation?.language,
        },
        ...conversationSettings(found.conversation && { ...found.conversation, phrases: texts.phrases }),
        maxCallSeconds: found.max_call_seconds,
        digitInputs: digitSettings(found.digit_inputs),
        guardrails: guardrailSettings(found.guardrails),
        disclosure: disclosureFor(found.disclosure, { language: found.conversation?.language, number: undefined }),
      },
      tools: (noteRun, conversation) =>
        tools.map((tool) =>
          agentTool(
            { runner: this.runner, log: this.log },
            tool,
            { ...who, call: null, metadata, source: 'simulation', redact, ...conversation },
            (toolCallId, run) => noteRun(toolCallId, toolRunData(run)),
          ),
        ),
      others: [
        ...this.searchTools(() => ({ ...searched, knowledgeBaseIds: ofStep ?? knowledgeBaseIds }), knowledge),
        ...(found.do_not_call_tool ? [SIMULATED_DO_NOT_CALL] : []),
        ...(found.pause_recording_tool ? SIMULATED_PAUSES : []),
      ],
      heard: (event) => {
        entered(event);
        if (secrets) hear(secrets, event);
      },
      mayTransfer: found.transfer_enabled,
      askPolicy: async (policy, on, words, signal) =>
        (await this.policies.judge({ policy, on, words }, signal)).isViolated,
      checkArguments: argumentProblems,
    };
  }

  private searchTools(agent: () => SearchedAgent, knowledge: AgentKnowledge | undefined): VoiceTool[] {
    if (!knowledge) return [];
    const search: SearchKnowledge = async (queries, options) => {
      try {
        return await this.knowledge.search(agent(), queries, options);
      } catch (err) {
        if (!options.signal.aborted)
          this.log.error({ err, agent_id: agent().agentId }, 'a search of a simulation failed');
        throw err;
      }
    };
    return [knowledgeTool(search, knowledge)];
  }
}

/** What must not be stored of the tools of one conversation; undefined: everything may be stored. */
function secretsOf({ account_redaction: account, redaction: agent }: AgentSettings): ConversationSecrets | undefined {
  const redaction = mergeRedaction(account, agent);
  return redaction ? new ConversationSecrets(redaction) : undefined;
}

/** A password is recognised in the arguments of a tool because it was said or pressed before. */
function hear(secrets: ConversationSecrets, event: SessionEvent): void {
  if (event.type === 'turn') secrets.add(event.role === 'agent' ? 'agent' : 'user', event.text);
  // Keys are read one by one.
  if (event.type === 'dtmf_input') secrets.add('keys', event.digits.split('').join(' '));
}

const hasDestination = ({
  transfer_phone_number: number,
  transfer_options: options,
}: Record<string, unknown>): boolean =>
  typeof number === 'string' || (typeof options === 'object' && options !== null && 'destinations' in options);

/** `transfer_enabled` of a simulated agent: the transfer has a destination. */
const withSettings = (current: AgentSettings, settings: Record<string, unknown>): AgentSettings => ({
  ...current,
  ...settings,
  transfer_enabled: settings.transfer_enabled === true && hasDestination(settings),
});

function textProviders({ provider, provider_options: options }: AgentSettings): ProviderChoice[] {
  const usable = providerChain(provider, options)
    .filter(({ name }) => !SPEECH_ONLY.has(name))
    .map(withoutSpeech);
  if (usable.length > 0) return usable;
  throw new NoTextMode(`The provider ${provider} has no text mode, so its agents cannot be simulated.`);
}

/** Of a pipeline, text needs the language model alone: the vendors of speech need not be configured where agents are simulated. */
function withoutSpeech({ name, options }: ProviderChoice): ProviderChoice {
  const { transcriber: _transcriber, synthesizer: _synthesizer, ...pipeline } = options.pipeline ?? {};
  return name === 'pipeline' ? { name, options: { ...options, pipeline } } : { name, options };
}

/** A simulation is not recorded. */
const SIMULATED_PAUSES: VoiceTool[] = [PAUSE_RECORDING_TOOL, RESUME_RECORDING_TOOL].map((tool) => ({
  ...tool,
  run: () => Promise.resolve({ paused: tool === PAUSE_RECORDING_TOOL }),
}));

/** Writes nothing. */
const SIMULATED_DO_NOT_CALL: VoiceTool = { ...DO_NOT_CALL_TOOL, run: () => Promise.resolve({ added: true }) };
