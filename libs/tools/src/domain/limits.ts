/** `^[a-z][a-z0-9_]{0,63}$`: what providers take as the name of a function, in snake_case. */
export const TOOL_NAME = /^[a-z][a-z0-9_]{0,63}$/;
/** What every agent can do, see libs/voice. */
export const RESERVED_NAMES = ['call_transfer', 'end_call', 'send_dtmf', 'search_knowledge_base'];
/** Providers take 128 tools with a session; the built-in ones and those to come want room, too. */
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

/** Of the schema of a tool's input, looked at before anything is made of it. */
export const SCHEMA_BYTES = 16_384;
/** Schemas inside schemas. */
export const SCHEMA_DEPTH = 8;
export const SCHEMA_NODES = 256;
/** Names under `properties`, all of a schema's together. */
export const SCHEMA_PROPERTIES = 100;

/** Of the arguments of one invocation. */
export const ARGUMENTS_BYTES = 32_768;
export const ARGUMENTS_DEPTH = 16;
export const ARGUMENTS_VALUES = 4_096;
