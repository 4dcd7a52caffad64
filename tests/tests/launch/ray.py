"""As much of Ray as the program of `gxe launch --with ray` uses: actors are threads of its process."""

import sys
import threading
import types
from concurrent import futures


class exceptions:
    class RayError(Exception):
        pass


class _Method:
    def __init__(self, method):
        self._method = method

    def remote(self, *arguments):
        answer = futures.Future()

        def call():
            try:
                answer.set_result(self._method(*arguments))
            except Exception as error:
                answer.set_exception(exceptions.RayError(str(error)))

        threading.Thread(target=call, daemon=True).start()
        return answer


class _Actor:
    def __init__(self, actor):
        self._actor = actor

    def __getattr__(self, name):
        return _Method(getattr(self._actor, name))


class _Class:
    def __init__(self, kind):
        self._kind = kind

    def options(self, **_options):
        return self

    def remote(self):
        return _Actor(self._kind())


def remote(**_options):
    return _Class


def init(address):
    pass


def get(answers):
    return [get(one) for one in answers] if isinstance(answers, list) else answers.result()


def wait(answers, num_returns=1, timeout=None):
    when = futures.FIRST_COMPLETED if num_returns == 1 else futures.ALL_COMPLETED
    futures.wait(answers, timeout, when)
    done = [one for one in answers if one.done()][:num_returns]
    return done, [one for one in answers if one not in done]


class _Group:
    def wait(self, _seconds):
        return True


util = types.ModuleType("ray.util")
util.get_node_ip_address = lambda: "127.0.0.1"
util.placement_group = types.ModuleType("ray.util.placement_group")
util.placement_group.placement_group = lambda bundles, strategy: _Group()
util.scheduling_strategies = types.ModuleType("ray.util.scheduling_strategies")
util.scheduling_strategies.PlacementGroupSchedulingStrategy = lambda *_, **__: None
__path__ = []
for module in [util, util.placement_group, util.scheduling_strategies]:
    sys.modules[module.__name__] = module
