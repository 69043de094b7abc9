/**
 * A form's values, what is wrong with them, and its submission. A field is judged when it is left, then as it changes;
 * a failed save keeps every value.
 */
import { type FormEvent, useCallback, useEffect, useId, useRef, useState } from 'react';
import { useAction } from './use-action.ts';

export type FieldErrors<V> = Partial<Record<keyof V & string, string>>;

export interface FormSpec<V> {
  initial: V;
  /** What is wrong, by field, in the viewer's language. */
  validate: (values: V) => FieldErrors<V>;
  /** Saves valid values; what it throws is shown as the form's failure. */
  submit: (values: V) => Promise<void>;
}

export interface Form<V extends object> {
  values: V;
  set: <K extends keyof V & string>(name: K, value: V[K]) => void;
  /** The id of a field's control. */
  id: (name: keyof V & string) => string;
  error: (name: keyof V & string) => string | undefined;
  /** Everything that a text control needs. */
  text: (name: TextField<V>) => TextProps;
  /** Marks a field as left: from now on its error is shown. */
  leave: (name: keyof V & string) => void;
  /** How many fields differ from what they were. */
  changes: number;
  dirty: boolean;
  /** Shown errors after an attempt to save; 0 before. */
  wrong: number;
  pending: boolean;
  failure: unknown;
  onSubmit: (event?: FormEvent) => void;
  /** Back to how it was at first, for a form that stays where it is and is used again. */
  reset: () => void;
}

type TextField<V> = { [K in keyof V & string]: V[K] extends string ? K : never }[keyof V & string];

interface TextProps {
  id: string;
  name: string;
  value: string;
  onChange: (event: { target: { value: string } }) => void;
  onBlur: (event?: { relatedTarget: EventTarget | null }) => void;
  'aria-invalid': true | undefined;
  'aria-describedby': string;
}

/**
 * Does something when the button that takes the focus has been pressed, at once when it is not being pressed: what moves it
 * under the pointer would lose the press.
 */
function afterPress(button: EventTarget | null | undefined, work: () => void): void {
  const isPressed = button instanceof HTMLButtonElement && button.matches(':active');
  if (isPressed) window.addEventListener('click', work, { once: true, capture: true });
  else work();
}

const differs = (a: unknown, b: unknown): boolean => JSON.stringify(a) !== JSON.stringify(b);

export function useForm<V extends object>({ initial, validate, submit }: FormSpec<V>): Form<V> {
  const formId = useId();
  const [values, setValues] = useState(initial);
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const [attempts, setAttempts] = useState(0);
  const save = useAction(submit);

  const errors = validate(values);
  const names = Object.keys(values) as (keyof V & string)[];
  const id = (name: string) => `${formId}-${name}`;
  const error = (name: keyof V & string) => (attempts > 0 || left.has(name) ? errors[name] : undefined);
  const wrong = attempts > 0 ? names.filter((name) => errors[name] !== undefined).length : 0;
  const changes = names.filter((name) => differs(values[name], initial[name])).length;

  const set = useCallback(
    <K extends keyof V & string>(name: K, value: V[K]) => setValues((old) => ({ ...old, [name]: value })),
    [],
  );
  const leave = useCallback((name: string) => setLeft((old) => new Set(old).add(name)), []);

  const reset = () => {
    setValues(initial);
    setLeft(new Set());
    setAttempts(0);
    save.clear();
  };

  // After an attempt that found errors, the first bad field takes the focus, once it says what is wrong with it.
  const firstWrong = useRef<string | undefined>(undefined);
  firstWrong.current = names.find((name) => errors[name] !== undefined);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each attempt moves the focus, nothing else does
  useEffect(() => {
    if (attempts > 0 && firstWrong.current) {
      const control = document.getElementById(id(firstWrong.current));
      const target = control?.matches('fieldset')
        ? control.querySelector<HTMLElement>('input, select, textarea, button')
        : control;
      target?.focus();
    }
  }, [attempts]);

  return {
    values,
    set,
    id,
    error,
    leave,
    text: (name) => ({
      id: id(name),
      name,
      value: String(values[name]),
      onChange: (event) => set(name, event.target.value as V[typeof name]),
      onBlur: (event) => afterPress(event?.relatedTarget, () => leave(name)),
      'aria-invalid': error(name) ? true : undefined,
      'aria-describedby': `${id(name)}-error ${id(name)}-help`,
    }),
    changes,
    dirty: changes > 0,
    wrong,
    pending: save.pending,
    failure: save.error,
    onSubmit: (event) => {
      event?.preventDefault();
      setAttempts((count) => count + 1);
      if (Object.values(errors).every((one) => one === undefined)) void save.run(values);
    },
    reset,
  };
}
