"""The environment in the interfaces of other packages, each of which is optional.

- :mod:`millbrain.adapters.gymnasium`: one side against a given opponent (``pip install 'millbrain[gymnasium]'``)
- :mod:`millbrain.adapters.pettingzoo`: two agents in turn, AEC (``millbrain[pettingzoo]``)
- :mod:`millbrain.adapters.openspiel`: the game ``python_millbrain`` of OpenSpiel (``millbrain[openspiel]``)

Actions, observations and rewards are those of :mod:`millbrain.env`.
"""
