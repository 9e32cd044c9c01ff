import { isJsonObject, type JsonSchema } from '@app/json-schema';
import { Expression } from './expression.js';
import type { Flow, FlowStep } from './flow.js';

/** An exit whose expression is compiled. `index`: its place in `exits`. */
type CompiledExit = { to: string; index: number } & ({ if: Expression } | { when: string });

/** A step as a run needs it. */
export interface CompiledStep {
  step: FlowStep;
  exits: CompiledExit[];
  /** Schemas of the values to collect by name. */
  properties: ReadonlyMap<string, JsonSchema>;
  required: readonly string[];
  /** Schemas that those of the values refer to. */
  definitions: JsonSchema;
}

/** A flow that was accepted by flowProblems, for any number of runs. A step is compiled when it is entered for the first time. */
export class CompiledFlow {
  private readonly compiled = new Map<string, CompiledStep>();

  private constructor(
    readonly start: string,
    private readonly steps: ReadonlyMap<string, FlowStep>,
    private readonly schemas: ReadonlyMap<string, JsonSchema>,
  ) {}

  static of(flow: Flow): CompiledFlow {
    const steps = flow.steps.map((step) => [step.name, step] as const);
    return new CompiledFlow(flow.start, new Map(steps), valueSchemas(flow));
  }

  /** @throws UnusableExpression; Error: the flow has no step of this name. */
  stepOf(name: string): CompiledStep {
    const known = this.compiled.get(name);
    if (known) return known;
    const step = this.steps.get(name);
    if (!step) throw new Error(`The flow has no step ${name}.`);
    const compiled = compiledStep(step);
    this.compiled.set(name, compiled);
    return compiled;
  }

  /** Undefined where no step collects the value, or two do by different schemas. */
  schemaOf(name: string): JsonSchema | undefined {
    return this.schemas.get(name);
  }
}

function compiledStep(step: FlowStep): CompiledStep {
  const { properties, required, $defs, definitions } = step.collect ?? {};
  return {
    step,
    exits: (step.exits ?? []).map((exit, index) =>
      'if' in exit ? { to: exit.to, index, if: Expression.of(exit.if) } : { ...exit, index },
    ),
    properties: new Map(propertiesOf(properties)),
    required: Array.isArray(required) ? required : [],
    definitions: { ...($defs !== undefined && { $defs }), ...(definitions !== undefined && { definitions }) },
  };
}

const propertiesOf = (properties: unknown): [string, JsonSchema][] =>
  isJsonObject(properties) ? Object.entries(properties).map(([name, one]) => [name, isJsonObject(one) ? one : {}]) : [];

/** The schemas of all values of a flow by name. */
export function valueSchemas({ steps }: Flow): Map<string, JsonSchema> {
  const schemas = new Map<string, JsonSchema>();
  for (const { collect } of steps)
    for (const [name, schema] of propertiesOf(collect?.['properties'])) {
      const known = schemas.get(name);
      schemas.set(name, known === undefined || JSON.stringify(known) === JSON.stringify(schema) ? schema : {});
    }
  return schemas;
}
