import type { ToolDefinition } from '../providers/voice-provider.js';

/** The argument by which the model says that the user has agreed. */
const CONFIRMED = 'confirmed';

/** A tool as the model sees it that needs a confirmation. */
export function withConfirmation({ name, description, parameters }: ToolDefinition): ToolDefinition {
  const properties = typeof parameters.properties === 'object' ? parameters.properties : {};
  return {
    name,
    description: `${description}\n${ABOUT}`,
    parameters: {
      ...parameters,
      properties: { ...properties, [CONFIRMED]: { type: 'boolean', description: ABOUT_ARGUMENT } },
    },
  };
}

const ABOUT =
  'It needs a confirmation: call it once without `confirmed`, read the values back to the caller, wait for a clear yes, and call it again with the same values and `confirmed: true`.';
const ABOUT_ARGUMENT = 'true only after the caller has heard these values and agreed to them.';

/** The arguments of the tool itself, and whether the model says that the user has agreed. */
export function splitConfirmed(args: Record<string, unknown>): { args: Record<string, unknown>; isConfirmed: boolean } {
  const { [CONFIRMED]: confirmed, ...own } = args;
  return { args: own, isConfirmed: confirmed === true };
}
