
C
xPlaceholder*$
shape:ÿÿÿÿÿÿÿÿÿ*
dtype0
:
nConst*!
valueB:ÿÿÿÿÿÿÿÿ*
dtype0

yTilexn