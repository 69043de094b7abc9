/** The line of filters over the list of channels. */
import { CHANNEL_TESTS } from '@modules/channel/facts.ts';
import { getRouteApi } from '@tanstack/react-router';
import { useSetSearch } from '@/components/data-table/search-links.ts';
import { FilterBar, SearchFilter, SelectFilter } from '@/components/filter-bar.tsx';
import { KeyFinder } from '@/components/key-finder.tsx';
import { Checkbox } from '@/components/ui/checkbox.tsx';
import { cn } from '@/lib/cn.ts';
import { useApi } from '@/lib/page-context.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { channelStates, testStates } from './channel.ts';

const route = getRouteApi('/_console/channel');

export function ChannelFilters() {
  const { t } = useTranslation();
  const { group, model, type, status, test, by, view } = route.useSearch();
  const { types, groups } = route.useLoaderData();
  const setSearch = useSetSearch();
  return (
    <FilterBar
      count={[group, model, type, status, test, by, view].filter(Boolean).length}
      search={<SearchFilter name="q" label={t('channel.search')} />}
    >
      <SelectFilter
        name="group"
        value={group}
        all={t('channel.allGroups')}
        options={groups.map((name) => ({ value: name, label: name }))}
      />
      <div className="w-36 *:w-full max-md:w-full">
        <SearchFilter name="model" label={t('channel.searchModel')} />
      </div>
      <SelectFilter
        name="type"
        value={type}
        all={t('channel.allTypes')}
        options={types.map(({ type, label }) => ({ value: String(type), label }))}
      />
      <SelectFilter
        name="status"
        value={status}
        all={t('channel.allStatuses')}
        options={channelStates.map((state) => ({ value: String(state.status), label: t(state.label) }))}
      />
      <SelectFilter
        name="test"
        value={test}
        all={t('channel.allTests')}
        options={CHANNEL_TESTS.map((one) => ({ value: one, label: t(testStates[one]) }))}
      />
      {/* At a desk the head of the ids does the same. */}
      <label
        className={cn(
          'flex min-h-8 cursor-pointer items-center gap-2 px-1 text-sm max-md:min-h-11',
          by === undefined && 'md:hidden',
        )}
      >
        <Checkbox
          checked={by === 'id'}
          onChange={(event) =>
            setSearch({ by: event.target.checked ? 'id' : undefined, p: undefined }, { replace: true })
          }
        />
        {t('channel.byId')}
      </label>
      <label className="flex min-h-8 cursor-pointer items-center gap-2 px-1 text-sm max-md:min-h-11">
        <Checkbox
          checked={view === 'tag'}
          onChange={(event) =>
            setSearch({ view: event.target.checked ? 'tag' : undefined, p: undefined }, { replace: true })
          }
        />
        {t('channel.tagView')}
      </label>
      <ChannelByKey />
    </FilterBar>
  );
}

const keyTexts = {
  action: 'channel.byKey',
  help: 'channel.byKeyHelp',
  field: 'channel.key',
  unknown: 'channel.keyUnknown',
} as const;

function ChannelByKey() {
  const api = useApi();
  return (
    <KeyFinder
      texts={keyTexts}
      isTight
      find={async (keyword) => {
        const { items } = await api.get('/api/channel/search', { query: { keyword } });
        const [channel] = items;
        if (!channel) return null;
        const none = undefined;
        return { q: channel.name, group: none, model: none, type: none, status: none, test: none, p: none };
      }}
    />
  );
}
