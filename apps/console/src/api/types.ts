import type { components } from '@app/client';

type Schemas = components['schemas'];

export type Warning = Schemas['WarningDto'];
export type Call = Schemas['CallDto'];
/** A call in a list; with the search in transcripts it has the turns that match. */
export type ListedCall = Schemas['ListedCallDto'];
export type NewCall = Schemas['CreateCallsDto'];
/** A call with its results, as `GET /calls/{id}` returns it. */
export type WholeCall = Schemas['CallWithResultsDto'];
/** A web call that waits for its browser: the token opens one connection within a minute. */
export type WebCallTicket = Schemas['WebCallDto'];
/** A publishable key, with which pages of some websites call one agent. */
export type WebKey = Schemas['WebKeyDto'];
export type WebKeyFields = Schemas['UpdateWebKeyDto'];
export type Analysis = Schemas['AnalysisDto'];
export type Transfer = Schemas['TransferDto'];
export type CostLine = Schemas['CostLineDto'];

/** `type` is a string: a tab that stays open during an update receives event types that it does not know. */
export interface CallEvent extends Pick<Schemas['CallEvent'], 'seq' | 'at'> {
  type: string;
  data: Record<string, unknown>;
}

/** The words of a running turn. */
export type CallTurnWords = Schemas['CallTurnWords'];

export type LadderStep = Schemas['LadderStepDto'];
export type RtpStatistics = Schemas['RtpStatisticsDto'];
export type Leg = Schemas['LegDiagnosticsDto'];
export type Diagnostics = Schemas['DiagnosticsDto'];
export type ToolCall = Schemas['ToolCallDto'];

/** The common fields of results of the console's and the agent's searches. */
export type Passage = Pick<
  Schemas['FoundPassageDto'],
  'title' | 'source' | 'text' | 'score' | 'matched' | 'page' | 'heading_path' | 'rows'
>;

export type KnowledgeBase = Schemas['KnowledgeBaseDto'];
/** A passage as it is stored. */
export type KnowledgePassage = Schemas['KnowledgePassageDto'];
export type UnansweredQuestion = Schemas['UnansweredQuestionDto'];
export type KnowledgeBaseChanges = Schemas['UpdateKnowledgeBaseDto'];

/** The parts of a JSON Schema that forms use; the API validates the rest. */
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
/** An agent as lists show it. */
export type Agent = Schemas['AgentSummaryDto'];
export type PhoneNumber = Schemas['NumberDto'];
export type DoNotCallEntry = Schemas['EntryDto'];
export type NumberCheck = Schemas['CheckDto'];
export type ImportReport = Schemas['ImportReportDto'];
export type Trunk = Schemas['TrunkDto'];
export type Delivery = Schemas['DeliveryDto'];
export type FoundDelivery = Schemas['DeliveryWithAttemptsDto'];

export type AgentVariable = Schemas['AgentVariableInputDto'];
/** The settings that a version of an agent has. */
export type AgentSettings = Schemas['AgentSettingsDto'];
/** An agent with its current settings. */
export type WholeAgent = Schemas['AgentDto'];
export type AgentVersion = Schemas['AgentVersionDto'];
export type AgentPreview = Schemas['AgentPreviewDto'];
export type TestedTarget = Schemas['TestedTargetDto'];
export type TrunkTest = Schemas['TrunkTestDto'];
export type Account = Schemas['AccountDto'];
export type Simulation = Schemas['SimulationDto'];
export type TestRun = Schemas['ScenarioRunDto'];
export type TestConversation = Schemas['TestConversationDto'];

export type CallCommand = Schemas['CommandDto'];
export type JobQueue = Schemas['QueueDto'];
export type Session = Schemas['SessionDto'];
export type ConsoleSession = Schemas['ListedSessionDto'];
export type SignInSettings = Schemas['SignInDto'];
export type NewSignInSettings = Schemas['SignInSettingsDto'];
export type SignInTest = Schemas['SignInTestDto'];
/** What the registration of the console at an issuer needs. */
export type SignInAddresses = Schemas['SignInAddressesDto'];
export type Token = Schemas['TokenDto'];
export type IssuedToken = Schemas['IssuedTokenDto'];
export type Scope = Token['scopes'][number];
export type Endpoint = Schemas['EndpointDto'];
export type SigningSecret = Schemas['WebhookSecretDto'];
/** A new secret, which is returned only once. */
export type NewSecret = Schemas['NewWebhookSecretDto'];
export type VendorCatalog = Schemas['VendorCatalogDto'];
export type VendorModel = Schemas['VendorModelDto'];
export type VendorVoice = Schemas['VendorVoiceDto'];
export type McpServer = Schemas['McpServerDto'];
export type ReplayedRange = Schemas['RangeReplayDto'];
export type AuditEvent = Schemas['AuditEventDto'];
export type Campaign = Schemas['CampaignDto'];
export type CampaignProgress = Schemas['CampaignProgressDto'];
export type CampaignContact = Schemas['ContactDto'];
export type Analytics = Schemas['AnalyticsDto'];
export type AnalyticsRow = Schemas['AnalyticsRowDto'];
export type RubricAnalytics = Schemas['RubricAnalyticsDto'];
export type GuardrailAnalytics = Schemas['GuardrailAnalyticsDto'];
export type RubricRow = Schemas['RubricQuestionRowDto'];
export type ContactImport = Schemas['CampaignImportDto'];
/** What an import of a file would do. `merged` or `unchanged`: rows whose number is there already. */
export type ImportPreview = Omit<Schemas['ImportPreviewDto'], 'counts'> & {
  counts: { rows: number; added: number; refused: number; merged?: number; unchanged?: number };
};

/** One page of a list; the console pages through all lists. */
export interface ListOf<T> {
  data: T[];
  warnings?: Warning[];
  meta: Pick<Schemas['PageMetaDto'], 'current_page' | 'from' | 'last_page' | 'total'> &
    Pick<Schemas['ListMetaDto'], 'total_is_estimate'>;
}

const LIVE: ReadonlySet<Call['status']> = new Set(['pending', 'ringing', 'in_progress']);
export const isLive = ({ status }: Pick<Call, 'status'>): boolean => LIVE.has(status);
