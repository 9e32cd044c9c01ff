/** The address of the WebSocket of a web call. `base`: the public address of the service. */
export const webCallUrl = (base: string, callId: string): string =>
  `${base.replace(/^http/, 'ws')}/api/v1/web-calls/${callId}/audio`;
