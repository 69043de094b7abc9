/** The options of all panels that a search finds, each under its panel and heading, ready to be changed. */

import { optionPanels } from '@core/option-panels.ts';
import { EmptyState } from '@/components/empty-state.tsx';
import { useLeaveGuard } from '@/components/leave-guard.ts';
import { SearchLink } from '@/components/search-link.tsx';
import { buttonVariants } from '@/components/ui/button.tsx';
import type { TextKey } from '@/lib/text-key.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { blocksOf, matching, type OptionField } from './field.ts';
import { OptionBlock } from './option-block.tsx';
import { useSettings } from './use-settings.ts';

export function FoundOptions({ fields, text }: { fields: readonly OptionField[]; text: string }) {
  const { t } = useTranslation();
  const settings = useSettings(fields);
  useLeaveGuard(settings.dirty);
  const found = matching(fields, text);
  const blocks = optionPanels.flatMap((panel) =>
    blocksOf(found.filter((field) => field.panel === panel)).map(
      ([block, own]) =>
        [`${t(`setting.panel.${panel}`)} · ${t(`setting.block.${block}` as TextKey)}`, own] as const,
    ),
  );
  return (
    <div className="grid min-w-0 content-start gap-4">
      <p role="status" className="text-sm text-muted">
        {t('setting.found', { count: found.length })}
      </p>
      {blocks.map(([title, own]) => (
        <OptionBlock key={title} title={title} fields={own} settings={settings} />
      ))}
      {found.length === 0 && (
        <EmptyState
          title={t('setting.foundNone')}
          action={
            <SearchLink change={{ q: undefined }} className={buttonVariants()}>
              {t('setting.clearSearch')}
            </SearchLink>
          }
        >
          {t('setting.foundNoneBody')}
        </EmptyState>
      )}
    </div>
  );
}
