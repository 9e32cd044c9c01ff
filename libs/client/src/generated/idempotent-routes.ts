// Written by `npm run openapi` from openapi.json.
/** Their POST takes an Idempotency-Key: sent again with the same key it gets the first answer. */
export const IDEMPOTENT_ROUTES: ReadonlySet<string> = new Set([
  "/api/v1/agents",
  "/api/v1/agents/{agent_id}/knowledge-bases",
  "/api/v1/agents/{agent_id}/knowledge-bases/tests",
  "/api/v1/agents/{agent_id}/test-runs",
  "/api/v1/agents/{agent_id}/tools",
  "/api/v1/agents/{agent_id}/versions",
  "/api/v1/analyses",
  "/api/v1/calls",
  "/api/v1/calls/{callId}/analysis",
  "/api/v1/calls/{callId}/commands",
  "/api/v1/campaigns",
  "/api/v1/campaigns/{campaignId}/contacts",
  "/api/v1/numbers",
  "/api/v1/trunks",
  "/api/v1/web-calls",
  "/api/v1/web-keys"
]);
