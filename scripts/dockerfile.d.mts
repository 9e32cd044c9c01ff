export interface Instruction {
  keyword: string;
  flags: Record<string, string>;
  text: string;
}
export interface Stage {
  name: string;
  image: string;
  instructions: Instruction[];
}
export function stagesOf(dockerfile: string): Stage[];
export function environmentOf(stage: Stage): Record<string, string>;
export function execFormOf(stage: Stage, keyword: string): string[] | undefined;
export function ignoring(dockerignore: string): (path: string) => boolean;
