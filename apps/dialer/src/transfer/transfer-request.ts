import {
  DEFAULT_ACCEPT_SECONDS,
  type StoredTransferDestination,
  type StoredTransferOptions,
  type TransferMode,
} from '@app/agents';
import type { TransferSettings } from '@app/calls';
import { ToolFailed, type ToolDefinition, TRANSFER_TOOL } from '@app/voice';

type Destination = Omit<StoredTransferDestination, 'name'> & { name: string | null };

/** One transfer, from the settings of the call and the arguments of the tool or the command. */
export interface TransferRequest {
  /** In the order in which they are tried. */
  destinations: Destination[];
  mode: TransferMode;
  briefing: NonNullable<StoredTransferOptions['briefing']>;
  question?: string;
  acceptMs: number;
  /** Absent: a summary of the conversation. */
  summary?: string;
  callerIdNumberId?: number;
}

const MAX_SUMMARY_LENGTH = 1_000;

/** @throws ToolFailed `unknown_destination` */
export function requestOf(settings: TransferSettings, args: Record<string, unknown>): TransferRequest {
  const { destination, mode, summary, reason } = args;
  const text = [summary, reason].find((one) => typeof one === 'string' && one.trim() !== '') as string | undefined;
  return {
    destinations: wanted(destinationsOf(settings), destination),
    mode: (mode as TransferMode | undefined) ?? settings.mode ?? 'cold',
    briefing: settings.briefing ?? 'summary',
    question: settings.accept_prompt || undefined,
    acceptMs: (settings.accept_timeout_seconds ?? DEFAULT_ACCEPT_SECONDS) * 1_000,
    summary: text?.trim().slice(0, MAX_SUMMARY_LENGTH),
    callerIdNumberId: settings.caller_id_number_id,
  };
}

function destinationsOf({ destinations = [], phone_number: number }: TransferSettings): Destination[] {
  return destinations.length > 0 ? destinations : [{ name: null, to_number: number }];
}

function wanted(all: Destination[], name: unknown): Destination[] {
  if (typeof name !== 'string' || name === '') return all;
  const found = all.filter((one) => one.name?.toLowerCase() === name.trim().toLowerCase());
  if (found.length > 0) return found;
  const known = all.flatMap((one) => one.name ?? []).join(', ');
  throw new ToolFailed('unknown_destination', `There is no destination of this name. The destinations are: ${known}.`);
}

/** The tool as the model sees it: with the names of the destinations, and with a summary for a briefing. */
export function transferTool(settings: TransferSettings): ToolDefinition {
  const { destinations = [], mode = 'cold', briefing = 'summary' } = settings;
  const names = destinations.map(({ name }) => name);
  const described = destinations.flatMap(({ name, description }) => (description ? [`${name}: ${description}`] : []));
  const { properties } = TRANSFER_TOOL.parameters as { properties: Record<string, unknown> };
  const summary = {
    type: 'string',
    description:
      briefing === 'summary'
        ? 'Spoken to the colleague in private before the caller is connected, word by word: who is calling and why, in one to three sentences, in the language of the colleague.'
        : 'What the colleague must know: who is calling, why, and what was found out so far.',
  };
  return {
    ...TRANSFER_TOOL,
    description: [TRANSFER_TOOL.description, ...DESCRIPTIONS[mode], ...described].join(' '),
    parameters: {
      ...TRANSFER_TOOL.parameters,
      properties: {
        ...(names.length > 1 && {
          destination: {
            type: 'string',
            enum: names,
            description: 'The only destination that is tried. Without it, all are tried in their order.',
          },
        }),
        ...properties,
        ...(mode !== 'cold' && { summary }),
      },
    },
  };
}

const DESCRIPTIONS: Record<TransferMode, string[]> = {
  cold: [],
  warm: ['The colleague is briefed in private first, while the caller hears music, and may decline.'],
  conference: [
    'The colleague is briefed in private first, while the caller hears music, and may decline. Afterwards all three of you talk together.',
  ],
};
