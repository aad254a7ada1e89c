import { useCallback, useEffect, useMemo, useRef } from 'react';
import { reactRouterProvider, type RouterProvider } from 'react-admin';
import { parsePath, useLocation } from 'react-router-dom';

/** The path of the address, also while the page of another one is still drawn, or hidden. */
const presentPath = () => parsePath(window.location.hash.slice(1)).pathname ?? '/';

/** Without the values for forms that react-admin takes from an address: whoever has written a link fills in no form of its reader. */
function withoutValues(search: string): string {
  const parameters = new URLSearchParams(search);
  parameters.delete('source');
  return parameters.size === 0 ? '' : `?${parameters.toString()}`;
}

/**
 * Navigation for react-admin. A list makes a search that was typed part of its address half a second later. It lives on, hidden, as
 * long as the code of the next page is on its way: a search that was typed just before the click would lead back to the list. So a
 * page that is no longer that of the address cannot change the address's query.
 */
export const routerProvider: RouterProvider = {
  ...reactRouterProvider,
  useLocation() {
    const location = useLocation();
    return useMemo(() => ({ ...location, search: withoutValues(location.search) }), [location]);
  },
  useNavigate() {
    const navigate = reactRouterProvider.useNavigate();
    const { pathname } = useLocation();
    const own = useRef(pathname);
    useEffect(() => {
      own.current = pathname;
    }, [pathname]);
    return useCallback(
      (to, options) => {
        const isQuery = typeof to === 'object' && to.pathname === undefined;
        if (!isQuery || presentPath() === own.current) navigate(to, options);
      },
      [navigate],
    );
  },
};
