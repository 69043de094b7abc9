/** The rows of the price editor that were changed, and the saving of all of them in one call. */
import { useRouter } from '@tanstack/react-router';
import { useState } from 'react';
import { useConfirm } from '@/components/confirm.tsx';
import type { TFunction } from '@/lib/i18n.ts';
import { notify } from '@/lib/notify.ts';
import { useApi } from '@/lib/page-context.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import {
  type Cells,
  cellsOf,
  cellsOfTiers,
  converted,
  type Draft,
  type HubModel,
  isChanged,
  isLeap,
  losesPrice,
  NO_CELLS,
  readCells,
  sentEntry,
  type Unit,
  type Words,
} from './draft.ts';
import { leapQuestion } from './leap-question.ts';
import type { Tiered } from './tiers.ts';

export interface PriceDrafts {
  unit: Unit;
  setUnit(unit: Unit): void;
  /** Every row by name, new ones first. */
  names: readonly string[];
  model(name: string): HubModel | undefined;
  cells(name: string): Cells;
  draft(name: string): Draft | undefined;
  setCells(changes: ReadonlyMap<string, Partial<Cells>>): void;
  /** The tiers of a row, new ones before stored ones. */
  tiered(name: string): Tiered | null;
  setTiered(name: string, tiered: Tiered): void;
  setWords(name: string, words: Partial<Words>): void;
  /** False when there is such a model already. */
  add(name: string): boolean;
  remove(name: string): void;
  /** Forgets the changes of these rows, or of all. */
  undo(names?: readonly string[]): void;
  changed: readonly string[];
  /** Changed rows whose numbers are none. */
  bad: readonly string[];
  save(): Promise<void>;
  saving: boolean;
  /** Why the last try to save failed; null where it did not. */
  failure: unknown;
}

/** What is called or was priced by hand comes before the rest of the default table. */
const rank = ({ enabled, source }: HubModel): number => {
  if (enabled) return 0;
  return source === 'option' ? 1 : 2;
};

const without = <T>(record: Record<string, T>, names: readonly string[]): Record<string, T> =>
  Object.fromEntries(Object.entries(record).filter(([name]) => !names.includes(name)));

interface ChangedRow {
  name: string;
  draft: Draft;
  /** What is stored; undefined for a new one. */
  model: HubModel | undefined;
}

/** Which models no table prices any more, and which lost what was said of them. */
function whatBecame(rows: readonly ChangedRow[], t: TFunction): string[] {
  const told = (key: 'prices.outOfSale' | 'prices.removed', some: readonly { name: string }[]) =>
    some.length === 0 ? [] : [t(key, { names: some.map(({ name }) => name).join(t('app.comma')) })];
  return [
    ...told(
      'prices.outOfSale',
      rows.filter(({ draft, model }) => !draft.removed && losesPrice(model, draft)),
    ),
    ...told(
      'prices.removed',
      rows.filter(({ draft }) => draft.removed),
    ),
  ];
}

export function usePriceDrafts(models: readonly HubModel[], onBad: () => void): PriceDrafts {
  const { t } = useTranslation();
  const api = useApi();
  const router = useRouter();
  const confirm = useConfirm();
  const [unit, setUnit] = useState<Unit>('price');
  const [drafts, setDrafts] = useState<Record<string, Draft>>({});
  const [saving, setSaving] = useState(false);
  const [failure, setFailure] = useState<unknown>(null);

  const byName = new Map(models.map((model) => [model.name, model]));
  const names = [
    ...Object.keys(drafts).filter((name) => !byName.has(name)),
    ...[...models].sort((a, b) => rank(a) - rank(b)).map(({ name }) => name),
  ];
  const fresh = (name: string): Draft => ({ cells: cellsOf(byName.get(name), unit), words: {} });
  const changed = names.filter((name) => {
    const draft = drafts[name];
    return draft !== undefined && isChanged(byName.get(name), draft, unit);
  });
  const bad = changed.filter((name) => {
    const draft = drafts[name];
    return draft && !draft.removed && !readCells(draft.cells, unit).ok;
  });

  const save = async () => {
    if (saving) return;
    if (changed.length === 0) return notify({ tone: 'ok', text: t('app.nothingChanged') });
    if (bad.length > 0) {
      onBad();
      return notify({ tone: 'bad', text: t('setting.checkInput') });
    }
    const leaping = changed.filter((name) => {
      const draft = drafts[name];
      return draft && !draft.removed && isLeap(cellsOf(byName.get(name), unit), draft.cells, unit);
    });
    if (leaping.length > 0 && !(await confirm(leapQuestion(leaping, t)))) return;
    setSaving(true);
    setFailure(null);
    const rows = changed.flatMap((name) => {
      const draft = drafts[name];
      return draft ? [{ name, draft, model: byName.get(name) }] : [];
    });
    try {
      await api.send('PUT', '/api/model_hub/admin/', {
        body: {
          update: rows
            .filter(({ draft }) => !draft.removed)
            .map(({ name, draft, model }) => sentEntry(name, model, draft, unit)),
          delete: rows.filter(({ draft }) => draft.removed).map(({ name }) => name),
        },
      });
      // The drafts go only when the stored prices have come, so that no cell shows its old one in between.
      await router.invalidate({ sync: true });
      for (const text of [t('setting.saved'), ...whatBecame(rows, t)]) notify({ tone: 'ok', text });
      // Only what was saved goes: what was typed meanwhile stays.
      setDrafts((old) =>
        Object.fromEntries(
          Object.entries(old).filter(([name, now]) =>
            rows.every((row) => row.name !== name || row.draft !== now),
          ),
        ),
      );
    } catch (error) {
      setFailure(error);
    }
    setSaving(false);
  };

  return {
    unit,
    setUnit(next) {
      setDrafts((old) =>
        Object.fromEntries(
          Object.entries(old).map(([name, draft]) => {
            // A row that is as it was stays so: what is worked out twice may differ in its last digit.
            const model = byName.get(name);
            const isSame = JSON.stringify(draft.cells) === JSON.stringify(cellsOf(model, unit));
            return [name, { ...draft, cells: isSame ? cellsOf(model, next) : converted(draft.cells, next) }];
          }),
        ),
      );
      setUnit(next);
    },
    names,
    model: (name) => byName.get(name),
    cells: (name) => drafts[name]?.cells ?? cellsOf(byName.get(name), unit),
    draft: (name) => drafts[name],
    setCells: (changes) =>
      setDrafts((old) => {
        const next = { ...old };
        for (const [name, change] of changes) {
          const draft = next[name] ?? fresh(name);
          next[name] = { ...draft, cells: { ...draft.cells, ...change } };
        }
        return next;
      }),
    tiered: (name) => drafts[name]?.tiered ?? byName.get(name)?.tiered ?? null,
    setTiered: (name, tiered) =>
      setDrafts((old) => ({
        ...old,
        [name]: { ...(old[name] ?? fresh(name)), tiered, cells: cellsOfTiers(tiered, unit) },
      })),
    setWords: (name, words) =>
      setDrafts((old) => {
        const draft = old[name] ?? fresh(name);
        return { ...old, [name]: { ...draft, words: { ...draft.words, ...words } } };
      }),
    add(name) {
      if (byName.has(name) || Object.hasOwn(drafts, name)) return false;
      setDrafts((old) => ({
        [name]: { cells: { ...NO_CELLS, mode: 'tokens' }, words: {} },
        ...old,
      }));
      return true;
    },
    remove: (name) =>
      setDrafts((old) =>
        byName.has(name)
          ? { ...old, [name]: { ...(old[name] ?? fresh(name)), removed: true } }
          : without(old, [name]),
      ),
    undo(some) {
      setFailure(null);
      setDrafts((old) => (some ? without(old, some) : {}));
    },
    changed,
    bad,
    save,
    saving,
    failure,
  };
}
