/// The output of `weir graph` for the sample Travel.
extension GraphGoldenTests {
    // swift-format-ignore
    static let travelText = #"""
        travel.weir: 57 nodes and 59 edges, over the whole recording of … events

                                                  kind          emitted  refreshed  suppressed  activity
        TravelServer
          requested                               emitter            13          3           ·  ████████
              → 2 handlers
        TravelModel
          cells                                   array               2          2           ·  ██
              → 1 handler
              ⇢ TravelServer.requested
          open.isExecuting                        observable          2          ·           ·  █
              → open.isEnabled
          open.isEnabled                          observable          2          ·           ·  █
          open.executions                         emitter             1          ·           ·  ▌
          open.values                             emitter             1          1           ·  █
              → 1 handler
          open                                    command             1          ·           ·  ▌
              → open.execution
          currentCity                             observable          1          ·           ·  ▌
              → current TravelModel.swift:24 ×3
          load.isExecuting                        observable          4          ·           ·  ██
              → load.isEnabled, current TravelView.swift:29
          load.isEnabled                          observable          4          ·           ·  ██
          load.executions                         emitter             2          ·           ·  █
          load.values                             emitter             1          ·           ·  ▌
              → merge TravelModel.swift:35
          load.errors                             emitter             1          ·           ·  ▌
              → map TravelModel.swift:35, map TravelView.swift:30
          load                                    command             2          ·           ·  █
              → load.execution ×2
          load.execution ×2                       execution           1          ·           ·  ▌
              → load.values
              ⇢ TravelServer.requested, load.isExecuting, load.executions, load.errors
          open.execution                          execution           1          ·           ·  ▌
              → open.values
              ⇢ open.isExecuting, open.executions
        no owner: TravelModel.swift
          merge TravelModel.swift:35                                  2          ·           ·  █
              → TravelModel.cells
          map TravelModel.swift:35                                    1          ·           ·  ▌
              → merge TravelModel.swift:35
          deliver(on:) TravelModel.swift:33 ×2                        1          ·           ·  ▌
              → TravelModel.load.execution ×2
          zip TravelModel.swift:30 ×2                                 1          ·           1  █
              → deliver(on:) TravelModel.swift:33 ×2
          subscribe(on:) TravelModel.swift:26 ×5                      6          ·           ·  ███
              → ScenicCellModel.image ×3, HotelCellModel.image ×2
          current TravelModel.swift:24 ×3                             5          ·           ·  ██▌
              → ScenicCellModel.rightFooter ×3
          source TravelModel.swift:14                                 1          ·           ·  ▌
              → TravelModel.open.execution
        TravelView
          pulled                                  emitter             2          2           ·  ██
              → 1 handler
              ⇢ TravelModel.load
          rowTouched                              emitter             1          1           ·  █
              → 1 handler
              ⇢ TravelModel.open
        no owner: TravelView.swift
          current TravelView.swift:29                                 5          5           ·  █████
              → binding TravelView.swift:29
          binding TravelView.swift:29                                 ·          ·           ·
          map TravelView.swift:30                                     1          1           ·  █
              → binding TravelView.swift:30
          binding TravelView.swift:30                                 ·          ·           ·
        no owner: TravelServer.swift
          map TravelServer.swift:55 ×5                                5          ·           ·  ██▌
              → zip TravelModel.swift:30 ×2, deliver(on:) TravelDemo.swift:51
          delay TravelServer.swift:55 ×5                              6          ·           1  ███▌
              → map TravelServer.swift:55 ×5
          source TravelServer.swift:49 ×5                             7          ·           ·  ███▌
              → delay TravelServer.swift:55 ×5
          source TravelServer.swift:38 ×5                             6          ·           ·  ███
              → subscribe(on:) TravelModel.swift:26 ×5
        ScenicCellModel
          title ×3                                map                 4          4           ·  ████
              → binding PlaceCell.swift:16 ×6
          price ×3                                map                 4          4           ·  ████
              → binding PlaceCell.swift:17 ×6
          campaign ×3                             map                 8          4           ·  ██████
              → campaignIsHidden ×3, binding PlaceCell.swift:18 ×6
          campaignIsHidden ×3                     map                 4          4           ·  ████
              → binding PlaceCell.swift:19 ×6
          image ×3                                deliver(on:)        4          4           ·  ████
              → binding PlaceCell.swift:20 ×6
          rightFooter ×3                          map                 5          5           ·  █████
              → binding PlaceCell.swift:21 ×6
        HotelCellModel
          title ×2                                map                 2          2           ·  ██
              → binding PlaceCell.swift:16 ×6
          price ×2                                source              ·          ·           ·
              → binding PlaceCell.swift:17 ×6
          campaign ×2                             map                 4          2           ·  ███
              → campaignIsHidden ×2, binding PlaceCell.swift:18 ×6
          campaignIsHidden ×2                     map                 2          2           ·  ██
              → binding PlaceCell.swift:19 ×6
          image ×2                                deliver(on:)        2          2           ·  ██
              → binding PlaceCell.swift:20 ×6
          rightFooter ×2                          source              ·          ·           ·
              → binding PlaceCell.swift:21 ×6
        no owner: PlaceCell.swift
          binding PlaceCell.swift:16 ×6                               ·          ·           ·
          binding PlaceCell.swift:17 ×6                               ·          ·           ·
          binding PlaceCell.swift:18 ×6                               ·          ·           ·
          binding PlaceCell.swift:19 ×6                               ·          ·           ·
          binding PlaceCell.swift:20 ×6                               ·          ·           ·
          binding PlaceCell.swift:21 ×6                               ·          ·           ·
        no owner: PlaceCellModel.swift
          source PlaceCellModel.swift:38 ×3                          16          ·           ·  ████████
              → ScenicCellModel.title ×3, ScenicCellModel.price ×3, ScenicCellModel.campaign ×3
          source PlaceCellModel.swift:50 ×2                           6          ·           ·  ███
              → HotelCellModel.title ×2, HotelCellModel.campaign ×2
        HeadlineModel
          count ×2                                map                 2          2           ·  ██
              → 2 handlers
          lowestPrice ×2                          map                 2          2           ·  ██
              → 2 handlers
        no owner: TravelDemo.swift
          deliver(on:) TravelDemo.swift:51                            3          ·           ·  █▌
              → HeadlineModel.count ×2, HeadlineModel.lowestPrice ×2, share TravelDemo.swift:53
          share TravelDemo.swift:53                                   1          ·           ·  ▌
              → HeadlineModel.count ×2, HeadlineModel.lowestPrice ×2

        → feeds   ⇢ its code writes   ×N: so many drawn as one
        1 node that did nothing and is connected to nothing is left out (--all shows them)

        """#
}
