/** Function names that all providers accept, in snake_case. */
export const TOOL_NAME = /^[a-z][a-z0-9_]{0,63}$/;
/** Names of the built-in tools, see libs/voice. */
export const RESERVED_NAMES = [
  ...['call_transfer', 'collect_digits', 'continue_flow', 'do_not_call', 'end_call', 'pause_recording'],
  ...['recording_consent', 'resume_recording', 'send_dtmf', 'search_knowledge_base'],
];
/** Providers accept 128 tools per session; the others are built-in tools. */
export const TOOLS_PER_AGENT = 100;
export const ACTIONS_PER_TOOL = 10;
export const DESCRIPTION_LENGTH = 4_000;
export const ACTION_NAME_LENGTH = 255;
export const PAYLOAD_BYTES = 16_384;
export const PAYLOAD_DEPTH = 16;
export const QUERY_PARAMS = 50;
export const QUERY_NAME_LENGTH = 128;
export const QUERY_VALUE_LENGTH = 2_048;
export const QUERY_LIST_ITEMS = 50;
export const DEFAULT_TIMEOUT_SECONDS = 10;
export const MIN_TIMEOUT_SECONDS = 1;
export const MAX_TIMEOUT_SECONDS = 120;
