import type { components } from '@app/client';

type Schemas = components['schemas'];

export type Call = Schemas['CallDto'];
/** As it is read alone. */
export type WholeCall = Schemas['CallWithResultsDto'];
export type Transfer = Schemas['TransferDto'];
export type CostLine = Schemas['CostLineDto'];

/** Read as what it may be: a tab that stays open during an update meets types of events that it does not know. */
export interface CallEvent extends Pick<Schemas['CallEvent'], 'seq' | 'at'> {
  type: string;
  data: Record<string, unknown>;
}

export type LadderStep = Schemas['LadderStepDto'];
export type RtpStatistics = Schemas['RtpStatisticsDto'];
export type Leg = Schemas['LegDiagnosticsDto'];
export type Diagnostics = Schemas['DiagnosticsDto'];
export type ToolCall = Schemas['ToolCallDto'];

/** What a search of ours and one of an agent have in common. */
export type Passage = Pick<
  Schemas['FoundPassageDto'],
  'title' | 'source' | 'text' | 'score' | 'page' | 'heading_path' | 'rows'
>;

export type KnowledgeBase = Schemas['KnowledgeBaseDto'];
export type KnowledgeBaseChanges = Schemas['UpdateKnowledgeBaseDto'];

/** What a form can be made of; the API checks the rest. */
export interface JsonSchema {
  type?: string;
  description?: string;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  enum?: unknown[];
  minimum?: number;
  maximum?: number;
}

export type Tool = Schemas['ToolDto'];
export type NewTool = Schemas['CreateToolDto'];
export type ToolAction = Schemas['WebhookActionDto'];
export type NewToolAction = Schemas['CreateWebhookActionDto'];
export type ToolRun = Schemas['ToolRunDto'];
export type Agent = Schemas['AgentDto'];
export type PhoneNumber = Schemas['NumberDto'];
export type Trunk = Schemas['TrunkDto'];
export type Delivery = Schemas['DeliveryDto'];
export type FoundDelivery = Schemas['DeliveryWithAttemptsDto'];

/** A list by page, as the console asks for all of its lists. */
export interface ListOf<T> {
  data: T[];
  meta: Pick<Schemas['PageMetaDto'], 'current_page' | 'last_page' | 'total'> &
    Pick<Schemas['ListMetaDto'], 'total_is_estimate'>;
}

const LIVE: ReadonlySet<Call['status']> = new Set(['pending', 'ringing', 'in_progress']);
export const isLive = ({ status }: Pick<Call, 'status'>): boolean => LIVE.has(status);
