/** The way from panel to panel: a list beside the fields, a choice on the phone. */
import { Link, useNavigate } from '@tanstack/react-router';
import { Select } from '@/components/ui/select.tsx';
import { PersonalAnchors } from '@/features/personal/anchors.tsx';
import { cn } from '@/lib/cn.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { type SettingTab, settingTabs } from './tabs.ts';

/** `tab` is null while a search shows the options of all panels. */
export function PanelMenu({ tab }: { tab: SettingTab | null }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  return (
    <nav aria-label={t('setting.panels')}>
      <Select
        className="md:hidden"
        aria-label={t('setting.panels')}
        value={tab ?? ''}
        onChange={(event) => void navigate({ href: `/setting?tab=${event.target.value}` })}
      >
        {tab === null && <option value="">{t('setting.allPanels')}</option>}
        {settingTabs.map((panel) => (
          <option key={panel} value={panel}>
            {t(`setting.panel.${panel}`)}
          </option>
        ))}
      </Select>
      <ul className="sticky top-20 border-l border-line max-md:hidden">
        {settingTabs.map((panel) => (
          <li key={panel}>
            <Link
              to="/setting"
              search={{ tab: panel }}
              aria-current={panel === tab ? 'page' : undefined}
              className={cn(
                '-ml-px flex min-h-8 items-center border-l-2 px-3 py-1 text-sm no-underline',
                panel === tab
                  ? 'border-accent font-semibold text-text'
                  : 'border-transparent text-muted hover:text-text',
              )}
            >
              {t(`setting.panel.${panel}`)}
            </Link>
            {panel === 'personal' && tab === 'personal' && (
              <div className="pl-3">
                <PersonalAnchors />
              </div>
            )}
          </li>
        ))}
      </ul>
    </nav>
  );
}
