import { Transform, type TransformFnParams } from 'class-transformer';

/** JSON of the user's own making as it came: class-transformer leaves out what has the name of a method, such as `toString`. */
export const AsGiven = (): PropertyDecorator =>
  Transform(({ obj, key }: TransformFnParams) => (obj as Record<string, unknown>)[key]);
