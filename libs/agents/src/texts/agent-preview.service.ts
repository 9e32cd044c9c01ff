import { type AgentSettings, AgentsService } from '../agents.service.js';
import { type CallValues, type VariableDeclaration, valueProblems } from '../domain/variables.js';
import { readDeclarations, readTimeZone } from '../schemas/agent-schema.js';
import { templateProblem } from '../domain/placeholders.js';
import { type CodedProblem, InvalidFields, NotFound } from '@app/common';
import { type AgentTool, ToolsService } from '@app/tools';
import { Injectable } from '@nestjs/common';
import { type RenderedTexts, renderTexts, type TemplateValues } from '../domain/templates.js';

/** Values of a call that is not placed, and unsaved settings of the agent; absent ones are the stored ones. */
export interface PreviewRequest extends CallValues {
  toNumber?: string;
  fromNumber?: string;
  instructions?: string;
  greeting?: string;
  voicemail?: string;
  phrases?: Record<string, string>;
  language?: string;
  /** As in the request. */
  declaredVariables?: unknown;
  timezone?: unknown;
}

export interface AgentPreview extends RenderedTexts {
  /** Placeholders that saving the agent would refuse, by field. */
  problems: { field: string; message: string }[];
}

/** Renders the texts of agents for given values. */
@Injectable()
export class AgentPreviewService {
  constructor(
    private readonly agents: AgentsService,
    private readonly tools: ToolsService,
  ) {}

  /** Throws NotFound when the account has no such agent, and InvalidFields (`declared_variables`, `timezone`). */
  async preview(accountId: number, agentId: number, request: PreviewRequest): Promise<AgentPreview> {
    const stored = await this.agents.settings(accountId, agentId);
    if (!stored) throw new NotFound('Agent');
    const tools = await this.tools.ofAgent({ accountId, agentId });
    const agent = unsavedAgent(stored, request, draftOf(request));
    const { metadata, variables, toNumber = '', fromNumber = '' } = request;
    const call = { to_number: toNumber, from_number: fromNumber };
    const { texts } = renderAgent(agent, tools, { metadata, variables, call, now: new Date() });
    return { ...texts, problems: problemsOf(agent, tools) };
  }
}

/** The unsaved declarations and time zone; absent: the stored ones. */
function draftOf({
  declaredVariables,
  timezone,
}: PreviewRequest): Partial<Pick<AgentSettings, 'variables' | 'timezone'>> {
  const declared =
    declaredVariables === undefined ? undefined : readDeclarations('declared_variables', declaredVariables);
  const zone = timezone === undefined ? undefined : readTimeZone('timezone', timezone);
  const problems = [declared, zone].flatMap((read) => (read && 'problems' in read ? read.problems : []));
  if (problems.length > 0)
    throw new InvalidFields(Object.fromEntries(problems.map(([path, sentence]) => [path, [sentence]])));
  return {
    ...(declared && 'value' in declared && { variables: declared.value.map(declarationOf) }),
    ...(zone && 'value' in zone && { timezone: zone.value }),
  };
}

type Declared = Extract<ReturnType<typeof readDeclarations>, { value: unknown }>['value'][number];

const declarationOf = ({ default: usual, description: _description, ...rest }: Declared): VariableDeclaration => ({
  ...rest,
  default: usual ?? undefined,
});

function unsavedAgent(
  stored: AgentSettings,
  request: PreviewRequest,
  draft: Partial<Pick<AgentSettings, 'variables' | 'timezone'>>,
): AgentSettings {
  const { instructions, greeting, voicemail, phrases, language } = request;
  const machine = stored.answering_machine ?? UNSCREENED;
  return {
    ...stored,
    ...draft,
    instructions: instructions ?? stored.instructions,
    greeting: greeting ?? stored.greeting,
    answering_machine: voicemail === undefined ? stored.answering_machine : { ...machine, message: voicemail },
    conversation: {
      ...stored.conversation,
      ...(phrases && { phrases }),
      ...(language !== undefined && { language }),
    },
  };
}

const UNSCREENED = { detect: false, on_machine: 'leave_message', message: '', wait_for_beep_seconds: 30 } as const;

function problemsOf(agent: AgentSettings, tools: readonly AgentTool[]): AgentPreview['problems'] {
  const declared = agent.variables;
  const texts: [string, string | undefined][] = [
    ['instructions', agent.instructions],
    ['greeting', agent.greeting],
    ['answering_machine.message', agent.answering_machine?.message],
    ['answering_machine.screening_message', agent.answering_machine?.screening_message],
    ...Object.entries(agent.conversation?.phrases ?? {}).map(([name, text]): [string, string | undefined] => [
      `conversation.phrases.${name}`,
      text,
    ]),
    ...tools.map(({ name, description }): [string, string] => [`tools.${name}.description`, description]),
  ];
  return texts.flatMap(([field, text]) => {
    const problem = text === undefined ? undefined : templateProblem(text, declared);
    return problem ? [{ field, message: `The ${field} field ${problem}.` }] : [];
  });
}

type RenderedSettings = Pick<
  AgentSettings,
  'name' | 'instructions' | 'greeting' | 'answering_machine' | 'conversation' | 'variables' | 'timezone'
>;

/** The texts and tools of an agent in a conversation with these values. */
export function renderAgent(
  agent: RenderedSettings,
  tools: readonly AgentTool[],
  values: CallValues & Pick<TemplateValues, 'call' | 'now'>,
): { texts: RenderedTexts; tools: AgentTool[] } {
  const texts = renderTexts(
    {
      instructions: agent.instructions,
      greeting: agent.greeting,
      voicemail: agent.answering_machine?.message ?? '',
      screening: agent.answering_machine?.screening_message,
      phrases: agent.conversation?.phrases ?? {},
      toolDescriptions: Object.fromEntries(tools.map((tool) => [tool.name, tool.description])),
    },
    {
      ...values,
      declared: agent.variables,
      agentName: agent.name,
      timezone: agent.timezone,
      language: agent.conversation?.language,
    },
  );
  const described = tools.map((tool) => ({
    ...tool,
    description: texts.toolDescriptions[tool.name] ?? tool.description,
  }));
  return { texts, tools: described };
}

/** Throws InvalidFields on `metadata.<name>` or `variables.<name>` for values with which no call can be created. */
export function requireValues(declared: readonly VariableDeclaration[], values: CallValues): void {
  const problems = valueProblems(declared, values).map(({ field, name, code, problem }): [string, CodedProblem[]] => {
    const path = `${field}.${name}`;
    return [path, [{ code, message: `The ${path} field ${problem}.` }]];
  });
  if (problems.length > 0) throw new InvalidFields(Object.fromEntries(problems));
}
