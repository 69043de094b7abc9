/** How one likes to see the console; kept in this browser. */
import { useEffect, useState } from 'react';
import { Segmented } from '@/components/ui/segmented.tsx';
import { Select } from '@/components/ui/select.tsx';
import { failureNotice } from '@/lib/error-text.ts';
import { notify } from '@/lib/notify.ts';
import { useApi, useBoot, useMay } from '@/lib/page-context.ts';
import { PAGE_SIZES } from '@/lib/preferences.ts';
import { hasCharacterKeys, keep } from '@/lib/storage.ts';
import { useTheme } from '@/lib/theme.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { densities } from '../../boot.ts';
import { Row } from './section.tsx';

export function PreferencesSection() {
  const { t } = useTranslation();
  return (
    <>
      <Language />
      <Theme />
      <Row label={t('personal.pageSize')} help={t('personal.pageSizeHelp')} htmlFor="preference-page-size">
        <PageSize />
      </Row>
      <Row label={t('table.density')}>
        <TableDensity />
      </Row>
      <Row label={t('shortcut.switch')} help={t('shortcut.switchHelp')}>
        <CharacterKeys />
      </Row>
    </>
  );
}

function Language() {
  const { t } = useTranslation();
  const { locale } = useBoot();
  const api = useApi();
  const acts = useMay('act');
  const choose = async (language: 'zh' | 'en') => {
    if (language === locale) return;
    try {
      // Letters come in the language of the account, pages in that of the browser; in a frame of an application the former stays.
      if (acts) await api.send('PUT', '/api/user/self', { body: { language } });
    } catch (error) {
      return notify(failureNotice(error, t));
    }
    // Nothing else is fetched anew: the page is.
    keep.language(language);
    window.location.reload();
  };
  return (
    <Row label={t('personal.language')} help={t('personal.languageHelp')}>
      <Segmented
        label={t('personal.language')}
        value={locale}
        options={[
          { value: 'zh', label: '中文' },
          { value: 'en', label: 'English' },
        ]}
        onChange={(language) => void choose(language)}
        className="justify-self-start"
      />
    </Row>
  );
}

function Theme() {
  const { t } = useTranslation();
  const [theme, setTheme] = useTheme();
  return (
    <Row label={t('personal.theme')}>
      <Segmented
        label={t('personal.theme')}
        value={theme}
        options={[
          { value: 'light', label: t('shell.light') },
          { value: 'dark', label: t('shell.dark') },
        ]}
        onChange={setTheme}
        className="justify-self-start"
      />
    </Row>
  );
}

function PageSize() {
  const { preferences } = useBoot();
  const [size, setSize] = useState(preferences.pageSize);
  return (
    <Select
      id="preference-page-size"
      value={size}
      onChange={(event) => {
        const next = Number(event.target.value);
        setSize(next);
        preferences.pageSize = next;
        keep.pageSize(next);
      }}
    >
      {PAGE_SIZES.map((one) => (
        <option key={one} value={one}>
          {one}
        </option>
      ))}
    </Select>
  );
}

function CharacterKeys() {
  const { t } = useTranslation();
  const [isOn, setIsOn] = useState(true);
  // Only the browser knows.
  useEffect(() => setIsOn(hasCharacterKeys()), []);
  return (
    <Segmented
      label={t('shortcut.switch')}
      value={isOn ? 'on' : 'off'}
      options={[
        { value: 'on', label: t('shortcut.on') },
        { value: 'off', label: t('shortcut.off') },
      ]}
      onChange={(next) => {
        setIsOn(next === 'on');
        keep.characterKeys(next === 'on');
      }}
      className="justify-self-start"
    />
  );
}

function TableDensity() {
  const { t } = useTranslation();
  const { preferences } = useBoot();
  const [density, setDensity] = useState(preferences.density);
  return (
    <Segmented
      label={t('table.density')}
      value={density}
      options={densities.map((value) => ({ value, label: t(`table.density.${value}`) }))}
      onChange={(next) => {
        setDensity(next);
        preferences.density = next;
        keep.density(next);
      }}
      className="justify-self-start"
    />
  );
}
